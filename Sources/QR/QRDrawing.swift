extension QRSymbol {
    /// Pixels with the quiet zone.
    /// - Parameter scale: pixels along one side of a module, 1 to 64.
    package func frame(scale: Int) -> GrayFrame {
        precondition((1...64).contains(scale), "a module is 1 to 64 pixels wide")
        let side = (size + 2 * Self.quietZone) * scale
        var pixels: [UInt8] = []
        pixels.reserveCapacity(side * side)
        for y in 0..<side {
            for x in 0..<side {
                let dark = isDark(column: x / scale - Self.quietZone, row: y / scale - Self.quietZone)
                pixels.append(dark ? 0 : 255)
            }
        }
        return GrayFrame(width: side, height: side, pixels: pixels)
    }

    /// A PNG file.
    package func png(scale: Int = 6) throws(PictureError) -> [UInt8] {
        try frame(scale: scale).png()
    }

    /// An SVG file: one path of horizontal runs, one unit a module.
    package func svg() -> String {
        let side = size + 2 * Self.quietZone
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
            <path fill="#fff" d="M0 0h\(side)v\(side)H0z"/><path d="\(runs())"/></svg>

            """
    }

    /// Lines of half blocks, two rows of modules a line, with the quiet zone.
    /// - Parameter colours: paints black on white, right on any terminal; else light modules are drawn, right on dark terminals.
    package func terminal(colours: Bool) -> String {
        let edge = Self.quietZone
        var lines: [String] = []
        for row in stride(from: -edge, to: size + edge, by: 2) {
            let line = (-edge..<size + edge).map { column in
                let isLast = row + 1 == size + edge
                return Self.halfBlock(
                    upperIsLight: !isDark(column: column, row: row), lowerIsLight: !isLast && !isDark(column: column, row: row + 1))
            }
            lines.append(colours ? "\u{1B}[40;97m\(line.joined())\u{1B}[0m" : line.joined())
        }
        return lines.joined(separator: "\n")
    }

    private static func halfBlock(upperIsLight: Bool, lowerIsLight: Bool) -> String {
        switch (upperIsLight, lowerIsLight) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }

    private func runs() -> String {
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                let start = column
                while isDark(column: column, row: row) { column += 1 }
                let length = column - start
                if length > 0 { path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(length)v1h-\(length)z" }
                column += 1
            }
        }
        return path
    }
}
