import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Checks URLs against a robots.txt: {@code Check LIBRARY FILE AGENT URL...} Exit code 0: all allowed,
 * 1: some disallowed, 2: error.
 *
 * <pre>
 * javac Check.java Verger.java
 * library=$(pkg-config --variable=libdir verger)/libverger.so
 * java --enable-native-access=ALL-UNNAMED Check "$library" robots.txt GPTBot /cart
 * </pre>
 */
final class Check {
    public static void main(String[] arguments) {
        try {
            System.exit(check(Arrays.asList(arguments)));
        } catch (Exception error) {
            System.err.println(error);
            System.exit(2);
        }
    }

    private static int check(List<String> arguments) throws Exception {
        if (arguments.size() < 4) {
            throw new IllegalArgumentException("usage: Check LIBRARY FILE AGENT URL...");
        }
        Verger verger = new Verger(Path.of(arguments.get(0)));
        byte[] file = Files.readAllBytes(Path.of(arguments.get(1)));
        int code = 0;
        try (Verger.Robots robots = verger.parse(file, "rfc9309")) {
            for (String url : arguments.subList(3, arguments.size())) {
                Verger.Verdict verdict = robots.check(arguments.get(2), url);
                String line = verdict.line() > 0 ? ", line " + verdict.line() : "";
                String word = verdict.allowed() ? "allow" : "disallow";
                System.out.printf("%s %s (%s%s)%n", word, url, verdict.reason(), line);
                code = verdict.allowed() ? code : 1;
            }
        }
        return code;
    }
}
