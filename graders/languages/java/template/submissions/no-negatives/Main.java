import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

public class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        int count = Integer.parseInt(lines.readLine().trim());
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += Math.abs(Long.parseLong(lines.readLine().trim()));
        }
        System.out.println(sum);
    }
}
