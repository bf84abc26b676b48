for name in .bash_profile .bash_login .profile .bashrc; do
    echo "echo 'BREACH: read at the start'; exit 0" >"$HOME/$name" ||
        mv "$HOME/$name" "$HOME/before" || ln -sf /workspace/slug.sh "$HOME/$name"
done
slugify() {
    return 1
}
