#!/usr/bin/env bash
# Makes the fuzz targets in OSS-Fuzz, which sets SRC and OUT and has compile_native_go_fuzzer. Each
# target has the dictionary, and what testdata/fuzz of its package has for it as its first inputs.
# The targets below cmd/absolink are left out: they are of the command's internal packages.
set -euo pipefail
cd "$(dirname "$0")/../.."
go get github.com/AdamKorcz/go-118-fuzz-build/testing # compile_native_go_fuzzer needs it
grep -v -e '^#' -e '^absolink/cmd/' contrib/oss-fuzz/targets | while read -r package target; do
  name=${package#absolink/}
  name=${name//\//_}_$target
  compile_native_go_fuzzer "$package" "$target" "$name"
  cp contrib/oss-fuzz/absolink.dict "$OUT/$name.dict"
  seeds=${package#absolink/}/testdata/fuzz/$target
  if [ -d "$seeds" ]; then
    go run ./contrib/oss-fuzz/seeds "$seeds" "$OUT/${name}_seed_corpus.zip"
  fi
done
