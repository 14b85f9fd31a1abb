import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Answers questions from standard input, as driver.c. With a number, measures that number of calls. */
final class Driver {
    public static void main(String[] arguments) throws IOException {
        Verger verger = new Verger(Path.of(arguments[0]));
        if (arguments.length > 1) {
            measure(verger, Integer.parseInt(arguments[1]));
            return;
        }
        var input = new DataInputStream(new BufferedInputStream(System.in));
        var output = new PrintStream(new BufferedOutputStream(System.out));
        for (byte[] dialect = read(input); dialect != null; dialect = read(input)) {
            byte[] file = read(input);
            byte[] agent = read(input);
            byte[] url = read(input);
            try (Verger.Robots robots = verger.parse(file, new String(dialect, StandardCharsets.UTF_8))) {
                Verger.Verdict verdict = robots.check(agent, url);
                if (robots.isAllowed(agent, url) != verdict.allowed()) {
                    throw new IllegalStateException("isAllowed has another answer");
                }
                output.printf("%d %d %s\n", verdict.allowed() ? 1 : 0, verdict.line(), verdict.reason());
            }
        }
        output.flush();
    }

    private static byte[] read(DataInputStream input) throws IOException {
        int length = 0;
        for (int next = input.read(); next != '\n'; next = input.read()) {
            if (next < 0) {
                return null;
            }
            length = 10 * length + (next - '0');
        }
        return input.readNBytes(length);
    }

    private static void measure(Verger verger, int calls) {
        byte[] agent = "ExampleBot".getBytes(StandardCharsets.UTF_8);
        byte[] url = "/a/b".getBytes(StandardCharsets.UTF_8);
        byte[] file = "User-agent: *\nDisallow: /a\n".getBytes(StandardCharsets.UTF_8);
        try (Verger.Robots robots = verger.parse(file, "rfc9309")) {
            for (int round = 0; round < 3; round++) {
                long start = System.nanoTime();
                for (int call = 0; call < calls; call++) {
                    if (robots.isAllowed(agent, url)) {
                        throw new IllegalStateException("allowed");
                    }
                }
                System.out.println((System.nanoTime() - start) / calls + " ns a call");
            }
        }
    }
}
