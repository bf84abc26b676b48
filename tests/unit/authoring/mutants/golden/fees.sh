f() {
  if [ "$1" -lt 3 ]; then
    echo "small"
  fi
  n=$((n + 1))
  [ -z "$1" ] && return 1
}
