# Sourced: the virtual environment of the pinned Python packages, made anew when the pins have changed.

parts=scripts/interop.d
environment=.build/interop/venv

fail() {
    echo "error: $1" >&2
    echo "hint: $2" >&2
    exit 3
}

prepare_python() {
    if ! cmp -s "$parts/requirements.txt" "$environment/requirements.txt"; then
        echo "installing the peers' Python packages" >&2
        rm -rf "$environment"
        python3 -m venv "$environment" >&2
        "$environment/bin/pip" install --quiet --disable-pip-version-check --requirement "$parts/requirements.txt" >&2 ||
            fail "the peers' packages cannot be installed" "is the package index reachable?"
        cp "$parts/requirements.txt" "$environment/requirements.txt"
    fi
}
