// Runs the console of JUnit and tells whether it came to its end: `java GradeboxJunit REPORT ARGUMENTS`, with the token as a
// line on stdin. The token is in no field, but in a variable of one function, which no reflection reads. Whoever searches the
// memory of the process can still find it.

import java.io.File;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Assertions;
import org.junit.platform.console.ConsoleLauncher;
import org.junit.platform.console.options.CommandResult;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

public final class GradeboxJunit {
    private GradeboxJunit() {}

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

        String[] arguments = Arrays.copyOfRange(words, 1, words.length);
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
            write(report, token + " done " + ran + " " + failed);
        });
        out.flush();
        problems.flush();
        Runtime.getRuntime().halt(result.getExitCode());
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
