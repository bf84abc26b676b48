// Runs PHPUnit and tells whether it came to its end: `php -r SOURCE -- PHPUNIT ARGUMENTS`. The protocol is described in
// graders/runners/adapter.py. PHPUnit 10 and later.
//
// The token is in a variable of one function, which no reflection and no backtrace shows. Whoever searches the memory of
// the process can still find it.

(static function (): void {
    stream_set_read_buffer(STDIN, 0);
    $token = fread(STDIN, 33);
    $report = fopen('php://fd/3', 'w');
    $program = array_splice($_SERVER['argv'], 0, 2)[1];
    $path = str_contains($program, '/') ? $program : trim((string) shell_exec('command -v ' . escapeshellarg($program)));
    $places = ['/../share/php/PHPUnit/Autoload.php', '/../../autoload.php', '/../vendor/autoload.php'];
    $found = array_filter(array_map(static fn ($place) => dirname((string) realpath($path)) . $place, $places), 'file_exists');
    $load = reset($found) ?: $path;
    if ($path === '' || !is_file($load)) {
        fwrite($report, trim($token) . " missing $program\n");
        exit(127);
    }
    if (!defined('PHPUNIT_COMPOSER_INSTALL')) {
        define('PHPUNIT_COMPOSER_INSTALL', $load);
    }
    require $load;
    ini_get('date.timezone') || ini_set('date.timezone', 'UTC');
    $ended = false;
    // Honest programs call exit, too. Nothing that is said here needs a token.
    register_shutdown_function(static function () use ($report, &$ended): void {
        $ended || fwrite($report, "exited\n");
    });
    $assert = new ReflectionClass(PHPUnit\Framework\Assert::class);

    $_SERVER['argv'] = [$program, ...$_SERVER['argv']];
    $_SERVER['argc'] = count($_SERVER['argv']);
    $status = (new PHPUnit\TextUI\Application)->run($_SERVER['argv']);
    $result = PHPUnit\TestRunner\TestResult\Facade::result();

    $say = static fn (string $words) => fwrite($report, trim($token) . " $words\n");
    $off = [...$result->testSkippedEvents(), ...$result->testMarkedIncompleteEvents()];
    foreach ($off as $event) {
        // A file of tests that skips some says so.
        $says = preg_match('/skip|incomplete|requires|depends/i', (string) file_get_contents($event->test()->file()));
        $says || $say('skipped ' . strtr($event->test()->id(), "\n", ' '));
    }
    $failing = [
        'assertSame' => [1, 2], 'assertEquals' => [1, 2], 'assertTrue' => [false], 'assertFalse' => [true],
        'assertNull' => [1], 'assertCount' => [1, []], 'assertContains' => [1, [2]], 'assertGreaterThan' => [2, 1],
    ];
    foreach ($failing as $name => $values) {
        try {
            $assert->getMethod($name)->invoke(null, ...$values);
            $say("control $name passed");
        } catch (PHPUnit\Framework\ExpectationFailedException) {
        }
    }
    $functions = get_defined_functions();
    // PHPUnit loads its classes when it needs them, so others could come first. Files of root are the image's.
    foreach ([...get_declared_classes(), ...get_declared_traits(), ...get_declared_interfaces(), ...$functions['user']] as $name) {
        if (preg_match('/^(?:PHPUnit|SebastianBergmann)\\\\/i', $name)) {
            $part = function_exists($name) ? new ReflectionFunction($name) : new ReflectionClass($name);
            @fileowner((string) $part->getFileName()) === 0 || $say("control $name, in the place of a part of PHPUnit");
        }
    }
    // Where tests call a function of PHP by its bare name, one of their namespace comes first.
    foreach (array_filter(get_declared_classes(), static fn ($name) => is_subclass_of($name, PHPUnit\Framework\TestCase::class)) as $class) {
        $tests = new ReflectionClass($class);
        $text = (string) file_get_contents((string) $tests->getFileName());
        $start = strtolower($tests->getNamespaceName()) . '\\';
        foreach (array_filter($functions['user'], static fn ($name) => $start !== '\\' && str_starts_with($name, $start)) as $name) {
            $bare = substr($name, strlen($start));
            // Files of root are the case's.
            $isOther = @fileowner((string) (new ReflectionFunction($name))->getFileName()) !== 0;
            if ($isOther && in_array($bare, $functions['internal'], true) && preg_match("/(?<![\\w\\\\>:$])$bare\\s*\\(/i", $text)) {
                $say("control $name, a function of PHP in the namespace of the tests");
            }
        }
    }
    $failed = $result->numberOfTestErroredEvents() + $result->numberOfTestFailedEvents();
    $say('done ' . max($failed, $result->numberOfTestsRun() - count($off)) . " $failed");
    $ended = true;
    exit($status);
})();
