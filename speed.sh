#!/usr/bin/env bash
# i23-speed.sh OLD NEW DATA [ROUNDS]: compares two built programs; builds nothing.
#   OLD    build/projnce of d579aed5, the last commit on main before the restructuring (5dd4ef7d "Build every loss on
#          one pairwise_logsumexp", 2450adf6 "Read settings once into a typed RunConfig", f42ffd05 "Give each module its
#          folder and namespace" came after it). Build both as the Release preset, with the same torch and compiler.
#   NEW    build/projnce of the final tree
#   DATA   a folder or archive of images, such as /work/shared/data/cifar10-images.tar.gz
#   ROUNDS alternations, default 5
# In each round both programs run once, in an order that alternates: `bench` (losses, forward and backward; training
# steps of resnet-small and resnet18) and one epoch of `train` (samples per second). Prints medians, the ratio new/old
# of the medians, and the noise: the largest ratio of two rounds of the same program. Needs an idle machine: it
# stops with an error if others use more than 0.3 cores before a run.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,13s/^# \?//p' "$0" >&2; exit 2; }
old=$(realpath "$1"); new=$(realpath "$2"); data=$(realpath "$3"); rounds=${4:-5}
[ "$old" != "$new" ] || { echo "OLD and NEW are the same file" >&2; exit 2; }
scratch=$(mktemp -d /tmp/i23-speed-XXXXXX)
trap 'rm -rf "$scratch"' EXIT
busy() {  # processor time of others during 2 s, in cores
  python3 - <<'P'
import time
def used():
    a = [int(x) for x in open("/proc/stat").readline().split()[1:]]
    return sum(a) - a[3] - a[4], sum(a)
u, t = used(); time.sleep(2); v, s = used()
import os
print((v - u) / (s - t) * os.cpu_count())
P
}
check_idle() {
  local now; now=$(busy)
  if python3 -c "import sys; sys.exit(not $now > 0.3)"; then
    echo "the machine is not idle: others use $now cores" >&2; exit 1
  fi
}
run() {  # run NAME PROGRAM ROUND
  check_idle
  "$2" bench --rows 64 512 2048 --json > "$scratch/$1.$3.bench.json"
  for loss in projnce supcon; do
    rm -rf "$scratch/run"
    "$2" train --data "$data" --out "$scratch/run" --set loss.name=$loss --set encoder.name=resnet-small \
      --set train.epochs=1 --set train.batch_size=128 --set report.page=false --json > "$scratch/$1.$3.$loss.json"
  done
}
echo "$(date -u +%F) $(uname -m) $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) cores"
for ((i = 0; i < rounds; ++i)); do
  if ((i % 2)); then run new "$new" $i; run old "$old" $i; else run old "$old" $i; run new "$new" $i; fi
done
python3 - "$scratch" "$rounds" <<'P'
import json, statistics, sys
from pathlib import Path
scratch, rounds = Path(sys.argv[1]), int(sys.argv[2])
def numbers(name):
    found = {}
    for i in range(rounds):
        bench = json.loads((scratch / f"{name}.{i}.bench.json").read_text())
        for entry in bench["losses"]:
            found.setdefault(f"{entry['loss']} N={entry['rows']} [ms]", []).append(entry["milliseconds"])
        for entry in bench["training"]:
            for engine in ("torch_ms", "native_ms"):
                if engine in entry:
                    found.setdefault(f"step {entry['encoder']} {engine[:-3]} [ms]", []).append(entry[engine])
        for loss in ("projnce", "supcon"):
            summary = json.loads((scratch / f"{name}.{i}.{loss}.json").read_text())
            found.setdefault(f"train {loss} [ms per sample]", []).append(1e3 / summary["images_per_second"])
    return found
old, new = numbers("old"), numbers("new")
print(f"{'':34} {'old':>10} {'new':>10} {'new/old':>8} {'noise':>6}")
worse = []
for key in old:
    a, b = old[key], new[key]
    ratio = statistics.median(b) / statistics.median(a)
    noise = max(max(a) / min(a), max(b) / min(b))
    print(f"{key:34} {statistics.median(a):10.3f} {statistics.median(b):10.3f} {ratio:8.3f} {noise:6.2f}")
    if ratio > max(noise, 1.03): worse.append(key)
print("slower than the noise: " + (", ".join(worse) or "none"))
P
