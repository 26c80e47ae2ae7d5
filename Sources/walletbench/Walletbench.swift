import Commands

@main
struct Walletbench {
    static func main() async {}
}
