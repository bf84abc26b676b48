// Runs the console of JUnit and tells whether it came to its end: `java GradeboxJunit REPORT ARGUMENTS`, with the token as a
// line on stdin. Beside the report are the classes, and the list `own` of the case's sources. The token is in no field, but
// in a variable of one function, which no reflection reads. Whoever searches the memory of the process can still find it.
//
// All classes are loaded before any code of them runs, so nobody replaces their files in time. If there are sources of the
// case, no other tests are run: they would count among the tests of a report.

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.console.ConsoleLauncher;
import org.junit.platform.console.options.CommandResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

public final class GradeboxJunit implements TestExecutionListener {
    // Where tests were aborted: the class whose code did it, and the test. JUnit makes the listener itself.
    private static final List<String[]> ABORTED = Collections.synchronizedList(new ArrayList<>());
    // What `import org.junit.jupiter.api.*` gets only where the package of the tests has no class of the name.
    private static final Set<String> NAMES = Set.of(
        "Test", "TestFactory", "TestTemplate", "RepeatedTest", "ParameterizedTest", "Nested", "BeforeAll", "BeforeEach",
        "AfterAll", "AfterEach", "Assertions", "Assumptions", "DisplayName", "TestInstance", "TestMethodOrder");

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
            String place = result.getThrowable().stream().flatMap(thrown -> Arrays.stream(thrown.getStackTrace()))
                .map(StackTraceElement::getClassName)
                .filter(name -> !name.startsWith("org.junit.") && !name.startsWith("org.opentest4j.")).findFirst().orElse("");
            ABORTED.add(new String[] {place, test.getDisplayName()});
        }
    }

    public static void main(String[] words) throws Exception {
        StringBuilder line = new StringBuilder();
        for (int one = System.in.read(); one >= 0 && one != '\n'; one = System.in.read()) {
            line.append((char) one);
        }
        String token = line.toString();
        OutputStream report = new FileOutputStream(words[0]);
        new File(words[0]).delete();
        // Honest programs call System.exit, too. Nothing that is said here needs a token.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> write(report, "exited")));
        List<String> classes = loaded(Path.of(words[0]).resolveSibling("classes"));
        List<String> own = text(words[0].replaceFirst("report$", "own")).lines().map(GradeboxJunit::text).toList();

        String others = classes.stream().filter(name -> !defines(own, name)).map(Pattern::quote)
            .collect(Collectors.joining("|"));
        String[] arguments = Arrays.copyOfRange(words, 1, words.length);
        if (!own.isEmpty() && !others.isEmpty()) {
            arguments = Arrays.copyOf(arguments, words.length);
            arguments[words.length - 1] = "--exclude-classname=" + others;
        }
        PrintWriter out = new PrintWriter(System.out, true);
        PrintWriter problems = new PrintWriter(System.err, true);
        CommandResult<?> result = ConsoleLauncher.run(out, problems, arguments);
        result.getValue().ifPresent(value -> {
            TestExecutionSummary summary = (TestExecutionSummary) value;
            long failed = summary.getTestsFailedCount() + summary.getContainersFailedCount();
            long ran = summary.getTestsSucceededCount() + failed;
            if (passesWhatMustFail()) {
                write(report, token + " control an assertion of JUnit that must fail passed");
            }
            classes.stream().filter(name -> hides(name, own)).forEach(
                name -> write(report, token + " control " + name + " is in the place of a class of JUnit"));
            // A test may say itself that it is left out. The code under test may not.
            ABORTED.stream().filter(one -> !own.isEmpty() && !(saysSo(own) && defines(own, one[0]))).forEach(
                one -> write(report, token + " skipped " + one[1].replace('\n', ' ')));
            write(report, token + " done " + ran + " " + failed);
        });
        out.flush();
        problems.flush();
        Runtime.getRuntime().halt(result.getExitCode());
    }

    // Loads the classes below a directory, without running any code of theirs, and returns their names.
    private static List<String> loaded(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            List<String> names = files.map(file -> directory.relativize(file).toString())
                .filter(name -> name.endsWith(".class") && !name.equals("module-info.class"))
                .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.')).toList();
            for (String name : names) {
                try {
                    Class.forName(name, false, GradeboxJunit.class.getClassLoader());
                } catch (ClassNotFoundException | LinkageError problem) {
                    // The tests that need it fail.
                }
            }
            return names;
        }
    }

    // Whether one of the sources defines a class, or one around it.
    private static boolean defines(List<String> sources, String name) {
        String inside = packageOf("package " + name.substring(0, Math.max(0, name.lastIndexOf('.'))));
        String outer = name.substring(name.lastIndexOf('.') + 1).replaceFirst("(?<=.)\\$.*", "");
        Pattern declared = Pattern.compile("\\b(?:class|interface|enum|record)\\s+" + Pattern.quote(outer) + "(?![\\w$])");
        return sources.stream().anyMatch(text -> packageOf(text).equals(inside) && declared.matcher(text).find());
    }

    private static boolean saysSo(List<String> sources) {
        return sources.stream().anyMatch(text -> text.contains("assum") || text.contains("TestAborted"));
    }

    // Whether a class has the name of one of JUnit that a source of the case in its package imports with all others.
    private static boolean hides(String name, List<String> sources) {
        String simple = name.substring(name.lastIndexOf('.') + 1);
        String inside = name.equals(simple) ? "" : name.substring(0, name.lastIndexOf('.'));
        Pattern single = Pattern.compile("\\bimport\\s+[\\w.]+\\." + Pattern.quote(simple) + "\\s*;");
        return NAMES.contains(simple) && sources.stream().anyMatch(text -> packageOf(text).equals(inside)
            && text.contains("import org.junit.jupiter.api.*") && !single.matcher(text).find());
    }

    private static String packageOf(String text) {
        Matcher found = Pattern.compile("(?m)^\\s*package\\s+([\\w.]+)").matcher(text);
        return found.find() ? found.group(1) : "";
    }

    private static String text(String path) {
        try {
            return Files.readString(Path.of(path));
        } catch (IOException problem) {
            return "";
        }
    }

    private static boolean passesWhatMustFail() {
        try {
            Assertions.assertEquals(1, 2);
            return true;
        } catch (AssertionError expected) {
            return false;
        }
    }

    private static void write(OutputStream report, String text) {
        try {
            report.write((text + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (java.io.IOException ignored) {
            // Without its report, no end counts.
        }
    }
}
