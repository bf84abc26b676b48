# shellcheck shell=sh
# Compiles sources of Java and runs their tests: `sh -c SOURCE junit [--OPTION=VALUE]... PATH...`. The protocol is described
# in graders/runners/adapter.py; without a token on stdin nothing is reported, and the tests are run all the same.
#
#     this shell (the token) --- java: GradeboxJunit (the token), the tests, and what they test
#
# The compiler loads no code of the candidate's, as a processor of annotations. What it makes lies behind JUnit on the class
# path, and no other files lie there: nothing takes the place of JUnit, or configures it. Options are those of JUnit's
# console.

IFS= read -r token
home=/usr/local/lib/gradebox/junit
if ! [ -d "$home" ]; then
    echo "$token missing $0" >&3
    exit 127
fi
exec 7>&3 3>&-
place=$(mktemp -d)
mkdir "$place/classes"
left=$#
while [ "$left" -gt 0 ]; do
    case $1 in
        -*) set -- "$@" "$1" ;;
        *)
            # No name is an option: in quotes, a backslash precedes what is special.
            find "$1" -name '*.java' -print0 | sed -z 's/[\\"]/\\&/g; s/\n/\\n/g; s/.*/"&"/' | tr '\0' '\n' >> "$place/sources"
            find "$1" -name '*.java' -user 0 >> "$place/own"
            ;;
    esac
    shift
    left=$((left - 1))
done
jars=$(cat "$home/class-path")
javac -J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1 -J-XX:SharedArchiveFile="$home/javac.jsa" \
    -proc:none -encoding UTF-8 -d "$place/classes" -cp "$jars" "@$place/sources" 7>&- || exit

: > "$place/report"
exec 6< "$place/report"
java -XX:+UseSerialGC -XX:MaxRAMPercentage=70 -XX:SharedArchiveFile="$home/junit.jsa" \
    -cp "$jars$home/gradebox.jar:$place/classes" GradeboxJunit \
    "$place/report" execute --scan-class-path="$place/classes" --disable-banner "$@" 6<&- 7>&- << END
$token
END
status=$?
cat <&6 >&7
exit "$status"
