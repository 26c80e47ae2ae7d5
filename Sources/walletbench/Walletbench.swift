import Commands
import Glibc

@main
struct Walletbench {
    static func main() async {
        exit(await Entry.run(CommandLine.arguments))
    }
}
