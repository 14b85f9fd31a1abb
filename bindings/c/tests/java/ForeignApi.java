import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Copies the classes of {@code java.lang.foreign} from the Java that runs this, marked as those of
 * Java 17. So an older javac can compile the example where only the runtime of a newer Java can be
 * installed: {@code --patch-module java.base=FOLDER}.
 */
final class ForeignApi {
    private static final byte JAVA_17 = 61;
    /** Where a class file has its version. */
    private static final int VERSION = 7;

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0], "java/lang/foreign");
        Files.createDirectories(folder);
        Path api = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base/java/lang/foreign");
        List<Path> classes;
        try (var files = Files.list(api)) {
            classes = files.toList();
        }
        for (Path file : classes) {
            byte[] bytes = Files.readAllBytes(file);
            bytes[VERSION] = JAVA_17;
            Files.write(folder.resolve(file.getFileName().toString()), bytes);
        }
    }
}
