import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Parses and checks robots.txt (RFC 9309) with the C library of Verger. Java 22 or newer. */
public final class Verger {
    /** The answer for one URL. The line is that of the deciding rule, 0 if no rule decided. */
    public record Verdict(boolean allowed, String reason, byte[] pattern, long line) {}

    private static final int OK = 0;

    private static final StructLayout VERDICT = MemoryLayout.structLayout(
            ValueLayout.JAVA_BOOLEAN.withName("allowed"),
            ValueLayout.JAVA_BOOLEAN.withName("temporary"),
            MemoryLayout.paddingLayout(6),
            ValueLayout.ADDRESS.withName("reason"),
            ValueLayout.JAVA_INT.withName("kind"),
            MemoryLayout.paddingLayout(4),
            ValueLayout.ADDRESS.withName("pattern"),
            ValueLayout.JAVA_LONG.withName("pattern_len"),
            ValueLayout.JAVA_LONG.withName("line"),
            ValueLayout.JAVA_LONG.withName("column"),
            ValueLayout.JAVA_LONG.withName("group_line"));

    private static long at(String field) {
        return VERDICT.byteOffset(PathElement.groupElement(field));
    }

    private static final long REASON = at("reason");
    private static final long PATTERN = at("pattern");
    private static final long PATTERN_LEN = at("pattern_len");
    private static final long LINE = at("line");

    private final MethodHandle parse;
    private final MethodHandle check;
    private final MethodHandle isAllowed;
    private final MethodHandle free;
    private final MethodHandle message;

    /** Loads the library, such as {@code /usr/local/lib/libverger.so}. */
    public Verger(Path library) {
        Linker linker = Linker.nativeLinker();
        SymbolLookup symbols = SymbolLookup.libraryLookup(library, Arena.global());
        var pointer = ValueLayout.ADDRESS;
        var size = ValueLayout.JAVA_LONG;
        var status = ValueLayout.JAVA_INT;
        parse = function(linker, symbols, "verger_robots_parse",
                FunctionDescriptor.of(status, pointer, size, pointer, pointer));
        check = function(linker, symbols, "verger_robots_check",
                FunctionDescriptor.of(status, pointer, pointer, size, pointer, size, pointer));
        isAllowed = function(linker, symbols, "verger_robots_is_allowed",
                FunctionDescriptor.of(ValueLayout.JAVA_BOOLEAN, pointer, pointer, size, pointer, size));
        free = function(linker, symbols, "verger_robots_free", FunctionDescriptor.ofVoid(pointer));
        message = function(linker, symbols, "verger_status_message", FunctionDescriptor.of(pointer, status));
    }

    private static MethodHandle function(
            Linker linker, SymbolLookup symbols, String name, FunctionDescriptor type) {
        MemorySegment address = symbols.find(name).orElseThrow(() -> new UnsatisfiedLinkError(name));
        return linker.downcallHandle(address, type);
    }

    /**
     * Parses the bytes of a response.
     *
     * @param dialect such as {@code rfc9309} or {@code google}
     * @throws IllegalArgumentException if the dialect is unknown
     */
    public Robots parse(byte[] file, String dialect) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment out = call.allocate(ValueLayout.ADDRESS);
            succeed((int) parse.invokeExact(text(call, file), (long) file.length,
                    call.allocateFrom(dialect), out));
            return new Robots(out.get(ValueLayout.ADDRESS, 0));
        } catch (Throwable error) {
            throw unchecked(error);
        }
    }

    /** A parsed robots.txt. Several threads may use it at the same time; close it once. */
    public final class Robots implements AutoCloseable {
        private final Arena arena = Arena.ofShared();
        private final MemorySegment handle;

        private Robots(MemorySegment address) {
            handle = address.reinterpret(arena, Verger.this::release);
        }

        /** Decides whether an agent, a product token or a User-Agent header, may fetch a URL. */
        public Verdict check(byte[] agent, byte[] url) {
            try (Arena call = Arena.ofConfined()) {
                MemorySegment out = call.allocate(VERDICT);
                succeed((int) check.invokeExact(handle, text(call, agent), (long) agent.length,
                        text(call, url), (long) url.length, out));
                long length = out.get(ValueLayout.JAVA_LONG, PATTERN_LEN);
                MemorySegment pattern = out.get(ValueLayout.ADDRESS, PATTERN).reinterpret(length);
                return new Verdict(
                        out.get(ValueLayout.JAVA_BOOLEAN, 0),
                        string(out.get(ValueLayout.ADDRESS, REASON)),
                        pattern.toArray(ValueLayout.JAVA_BYTE),
                        out.get(ValueLayout.JAVA_LONG, LINE));
            } catch (Throwable error) {
                throw unchecked(error);
            }
        }

        /** As {@link #check(byte[], byte[])}. */
        public Verdict check(String agent, String url) {
            return check(agent.getBytes(StandardCharsets.UTF_8), url.getBytes(StandardCharsets.UTF_8));
        }

        /** As {@link #check(byte[], byte[])}, without the reason. */
        public boolean isAllowed(byte[] agent, byte[] url) {
            try (Arena call = Arena.ofConfined()) {
                return (boolean) isAllowed.invokeExact(handle, text(call, agent), (long) agent.length,
                        text(call, url), (long) url.length);
            } catch (Throwable error) {
                throw unchecked(error);
            }
        }

        @Override
        public void close() {
            arena.close();
        }
    }

    private void release(MemorySegment robots) {
        try {
            free.invokeExact(robots);
        } catch (Throwable error) {
            throw unchecked(error);
        }
    }

    private void succeed(int status) throws Throwable {
        if (status != OK) {
            throw new IllegalArgumentException(string((MemorySegment) message.invokeExact(status)));
        }
    }

    private static MemorySegment text(Arena call, byte[] bytes) {
        return bytes.length == 0 ? MemorySegment.NULL : call.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
    }

    private static String string(MemorySegment text) {
        return text.reinterpret(Long.MAX_VALUE).getString(0);
    }

    /** Functions of the library throw nothing, so that only errors of Java arrive here. */
    private static RuntimeException unchecked(Throwable error) {
        if (error instanceof RuntimeException exception) {
            return exception;
        }
        if (error instanceof Error serious) {
            throw serious;
        }
        return new IllegalStateException(error);
    }
}
