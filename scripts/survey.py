#!/usr/bin/env python3
"""Builds public CUDA programs with cairn-nvcc, as they are, and runs them on the CPU to their own verification.

  scripts/survey.py FOLDER [--only WORD] [--check] [--out RECORD.json] [--bin build/release/bin]

FOLDER holds clones, of those that are wanted:

  git clone https://github.com/siboehm/SGEMM_CUDA
  git clone https://github.com/wangzyon/NVIDIA_SGEMM_PRACTICE
  git clone https://github.com/leimao/CUDA-GEMM-Optimization
  git clone https://github.com/Bruce-Lee-LY/cuda_hgemm        (needs libgflags-dev)
  git clone https://github.com/pranjalssh/fast.cu
  git clone https://github.com/NVIDIA/cuda-samples

What is not there is said and left out. Kernels are never edited; where a program has its sizes and repeats in its source,
the edits are in this file and in the table. With --check every program that ended in time runs once more under the detectors.
Only what a program verifies counts as passed: one that runs and compares nothing, or skips its comparison, "ran".
"""
import argparse
import datetime
import json
import os
import platform
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# A program of a project: its sources and flags for cairn-nvcc, edits of its host code (file, what, by what), the
# arguments of each run, and what it prints when its own verification holds and when not.
SMALL = "a size that the CPU multiplies in seconds, once"
LONGEST = 160  # characters of what a program says that are kept
VERDICT = r"\?\s*EXIT_SUCCESS\s*:\s*EXIT_FAILURE"


def ladder(name, sources, include, sizes, repeats, kernels, source="sgemm.cu"):
    return [
        dict(
            project=name,
            program=f"kernel {kernel}",
            sources=sources,
            flags=[f"-I{include}", "-lcublas"],
            edits=[(source, *sizes), (source, *repeats)],
            why=SMALL,
            arguments=[str(kernel)],
            passes=r"performance:",
            fails=r"Failed|Divergence",
            once=name,
        )
        for kernel in kernels
    ]


PROGRAMS = [
    *ladder(
        "SGEMM_CUDA",
        ["sgemm.cu", "src/runner.cu"],
        "src",
        ("{128, 256, 512, 1024, 2048, 4096}", "{128, 256}"),
        ("repeat_times = 50", "repeat_times = 1"),
        range(1, 13),
    ),
    *ladder(
        "NVIDIA_SGEMM_PRACTICE",
        ["sgemm.cu", "src/utils.cu"],
        "src",
        ("size_len = 24", "size_len = 1"),
        ("repeat_times = 10", "repeat_times = 1"),
        range(1, 8),
    ),
    *[
        dict(
            project="CUDA-GEMM-Optimization",
            program=f"profile_cuda_gemm_{kind}",
            sources=["src/0*.cu", "src/cuda_gemm_utils.cu", f"src/profile_cuda_gemm_{kind}.cu"],
            flags=["-Iinclude", "-lcublas"],
            edits=[(f"src/profile_cuda_gemm_{kind}.cu", "{4096U}", "{256U}")],
            why=SMALL,
            arguments=[],
            passes=r"Custom GEMM Kernel V0(6 Vectorized Double|7)",
            fails=r"different|Error|rror:",
        )
        for kind in ("fp32", "fp16")
    ],
    dict(
        project="cuda_hgemm",
        program="hgemm",
        sources=["src/*.cu", "src/mma/*.cu", "src/wmma/*.cu"],
        flags=["-Isrc/common", "-lcublas", "-lgflags", "-Xcompiler", "-fopenmp"],
        edits=[],
        why="",
        arguments=["-M=256", "-N=256", "-K=128", "-profiling_iterations=1", "-sleep_duration=1", "-enable_check=true"],
        passes=r"Mma-Async-Stage4 exit",
        # It prints the largest difference from cuBLAS and leaves the judgement to whoever reads it.
        fails=r"failed|error|rror:|Max diff: ([1-9]|0\.[1-9]|0\.0[5-9]|-?nan|inf)",
    ),
    # Tiles of 256 x 256 go by groups of 8 x 8, so that m and n are 2048 at the least; with another k the call of cuBLAS
    # needs the leading dimension that A then has.
    *[
        dict(
            project="fast.cu",
            program=f"kernel {kernel}",
            sources=["matmul.cu"],
            flags=["-DNDEBUG", "-arch=sm_90a", "-lcublas", "-lcuda"],
            edits=[
                ("matmul.cu", "max_size = 8192", "max_size = 2048"),
                ("matmul.cu", "k = max_size", "k = 128"),
                ("matmul.cu", "N, B, CUDA_R_16BF, K", "K, B, CUDA_R_16BF, K"),
                ("matmul.cu", "repeat_times = 8", "repeat_times = 1"),
                ("matmul.cu", "sleep(5)", "sleep(0)"),
                ("matmul.cu", "int main() {", "int main(int, char **argv) {"),
                ("matmul.cu", "kernel_num : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}", "kernel_num : {atoi(argv[1])}"),
            ],
            why=SMALL + ", and the kernel by argument",
            arguments=[str(kernel)],
            passes=r"performance:",
            fails=r"Failed|Divergence|CUDA ERROR",
            once="fast.cu",
        )
        for kernel in range(2, 13)  # the first is not verified
    ],
]


def fewer_tiles(source, count):
    """A product of tensor cores at 16 tiles a side, which the sample then checks on the CPU."""
    return [(source, f"{side}_TILES {count}", f"{side}_TILES 16") for side in "MNK"] + [
        (source, "CPU_DEBUG 0", "CPU_DEBUG 1")
    ]


# Samples that compute for a GPU's tenth of a second: arguments, or edits of the host's sizes and repeats.
SMALLER = {
    "0_Introduction/matrixMul": ["-wA=64", "-hA=64", "-wB=64", "-hB=64"],
    "0_Introduction/mergeSort": [("main.cpp", "4 * 1048576", "65536")],
    "0_Introduction/simpleHyperQ": [("simpleHyperQ.cu", "kernel_time = 10;", "kernel_time = 0.1;")],
    "0_Introduction/simpleStreams": [
        ("simpleStreams.cu", "16 * 1024 * 1024", "64 * 1024"),
        ("simpleStreams.cu", "nreps       = 10", "nreps = 1"),
    ],
    "2_Concepts_and_Techniques/convolutionSeparable": [
        ("main.cpp", "imageW     = 3072", "imageW = 768"),
        ("main.cpp", "imageH     = 3072", "imageH = 768"),
        ("main.cpp", "iterations = 16", "iterations = 1"),
    ],
    "2_Concepts_and_Techniques/eigenvalues": ["--iters-timing=1"],
    "2_Concepts_and_Techniques/histogram": [
        ("main.cpp", "64 * 1048576", "1048576"),
        ("main.cpp", "numRuns    = 16", "numRuns = 1"),
    ],
    "2_Concepts_and_Techniques/reductionMultiBlockCG": ["--n=65536"],
    "2_Concepts_and_Techniques/scan": [
        ("main.cpp", "13 * 1048576 / 2", "13 * 65536 / 2"),
        ("main.cpp", "iCycles = 100", "iCycles = 1"),
    ],
    "2_Concepts_and_Techniques/sortingNetworks": [("main.cpp", "N             = 1048576", "N = 65536")],
    "3_CUDA_Features/bf16TensorCoreGemm": fewer_tiles("bf16TensorCoreGemm.cu", 512),
    "3_CUDA_Features/cudaTensorCoreGemm": fewer_tiles("cudaTensorCoreGemm.cu", 256),
    "3_CUDA_Features/tf32TensorCoreGemm": fewer_tiles("tf32TensorCoreGemm.cu", 512),
    "3_CUDA_Features/dmmaTensorCoreGemm": fewer_tiles("dmmaTensorCoreGemm.cu", 1024),
    "3_CUDA_Features/globalToShmemAsyncCopy": ["-wA=64", "-hA=64", "-wB=64", "-hB=64"],
    "5_Domain_Specific/BlackScholes": [
        ("BlackScholes.cu", "OPT_N          = 4000000", "OPT_N = 40000"),
        ("BlackScholes.cu", "NUM_ITERATIONS = 512", "NUM_ITERATIONS = 4"),
    ],
    "5_Domain_Specific/binomialOptions": [("binomialOptions_common.h", "MAX_OPTIONS 1024", "MAX_OPTIONS 16")],
    "6_Performance/alignedTypes": [("alignedTypes.cu", "MEM_SIZE       = 50000000", "MEM_SIZE = 500000")],
    "6_Performance/transpose": ["-dimX=128", "-dimY=128"],
}


def samples(folder):
    """Every program of the samples: the sources of its folder, with the samples' own helpers."""
    root = folder / "cuda-samples"
    for place in sorted(root.glob("Samples/*/*")):
        smaller = SMALLER.get(str(place.relative_to(root / "Samples")), [])
        sources = sorted(file for kind in ("*.cu", "*.cpp") for file in place.glob(kind))
        compared = ("CPU_DEBUG 0", "CPU_DEBUG 1") in [item[1:] for item in smaller]  # and only what differs is printed
        if not any(file.suffix == ".cu" for file in sources):
            continue
        yield dict(
            project="cuda-samples",
            program=str(place.relative_to(root / "Samples")),
            sources=[str(file.relative_to(root)) for file in sources],
            flags=["-ICommon", f"-I{place.relative_to(root)}", "-lcublas", "-Xcompiler", "-fopenmp"],
            edits=[(str(place.relative_to(root) / item[0]), *item[1:]) for item in smaller if isinstance(item, tuple)],
            why=SMALL if smaller else "",
            arguments=[item for item in smaller if isinstance(item, str)],
            passes=r"(?i)\bpass(ed)?\b|success|succeeded|\bOK\b|verified" + (r"|\bTFLOPS" if compared else ""),
            fails=r"(?i)(?<!' )\bfail(ed|ure)?\b(?! as expected)|mismatch|skipping self-check",
            inside=str(place.relative_to(root)),
        )


def run(words, limit, folder):
    """Returns the exit code (None if the time was up), the output and the seconds."""
    begin = time.monotonic()
    child = subprocess.Popen(
        words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        text, code = child.communicate(timeout=limit)[0], child.returncode
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)  # what it started too
        text, code = child.communicate()[0], None
    return code, text.decode(errors="replace"), time.monotonic() - begin


def copy_of(project, folder, scratch, edits):
    """The project's files with the edits; says which edit found nothing to change."""
    to = scratch / project
    if not to.exists():
        shutil.copytree(folder / project, to, ignore=shutil.ignore_patterns(".git"))
    for file, old, new in edits:
        path = to / file
        text = path.read_text()
        if old not in text and new not in text:
            sys.exit(f"survey.py: {project}/{file} has no '{old}': the project has changed")
        path.write_text(text.replace(old, new))
    return to


def last_line(text):
    return text.strip().splitlines()[-1][:LONGEST] if text.strip() else ""


def first_error(text):
    for line in text.splitlines():
        if "error" in line or "undefined reference" in line or line.startswith("cairn"):
            return re.sub(r"^.*?(error:|undefined)", r"\1", line)[:LONGEST]
    return last_line(text)


def survey(program, folder, scratch, tools, options):
    row = {key: program[key] for key in ("project", "program", "why")}
    row["edits"] = len(program["edits"])
    place = copy_of(program["project"], folder, scratch, program["edits"])
    sources = [str(path.relative_to(place)) for name in program["sources"] for path in sorted(place.glob(name))]
    binary = scratch / "bin" / re.sub(r"\W", "_", program.get("once") or program["project"] + program["program"])
    binary.parent.mkdir(exist_ok=True)
    if not binary.exists():
        words = [str(tools / "cairn-nvcc"), "-O2", *sources, *program["flags"], "-o", str(binary)]
        code, text, row["compile_seconds"] = run(words, options.limit * 10, place)
        if code != 0:
            row.update(result="does not compile", detail=first_error(text))
            return row
    home = place / program.get("inside", ".")
    code, text, row["seconds"] = run([str(binary), *program["arguments"]], options.limit, home)
    refuted = re.search(program["fails"], text)
    says_so = "" if refuted else next((line for line in text.splitlines() if re.search(program["passes"], line)), "")
    # Samples that print no word of it end with what their comparison found.
    silent = not says_so and not refuted
    by_status = silent and any(re.search(VERDICT, (place / name).read_text(errors="replace")) for name in sources)
    if code is None:
        row.update(result="time is up", detail=last_line(text))
    elif code == 0 and (says_so or by_status):
        row.update(result="passed", detail=says_so.strip()[:LONGEST] if says_so else "by its exit status")
    else:
        row.update(result="ran" if code == 0 else f"exit {code}", detail=last_line(text))
    if options.check and code is not None:
        seen = scratch / "seen.json"
        seen.unlink(missing_ok=True)
        words = [str(tools / "cairn"), "run", str(binary), "--check", "--record", str(seen), "--", *program["arguments"]]
        code, text, row["check_seconds"] = run(words, options.check_limit, home)
        if code is not None and seen.exists():
            found = json.loads(seen.read_text())
            told = [f"{finding['fault']}: {finding['what']}" for finding in found["findings"]]
            told += [failure["what"] for failure in found["failures"]]
            told = [text.replace(f"{scratch}/", "") for text in told]
            row.update(findings=len(told), finding=told[0][: 2 * LONGEST] if told else "")
    return row


def group(row):
    folder = row["program"].split("/")[0] if "/" in row["program"] else ""
    return f"{row['project']}, {folder}" if folder else row["project"]


def groups(rows):
    """By project, the samples by folder: programs, those that compile and pass, their seconds, those with findings."""
    for name in dict.fromkeys(map(group, rows)):
        mine = [row for row in rows if group(row) == name]
        passed = [row for row in mine if row["result"] == "passed"]
        yield dict(
            name=name,
            programs=len(mine),
            compile=sum(row["result"] != "does not compile" for row in mine),
            passed=len(passed),
            longest=max((row["seconds"] for row in passed), default=0),
            checked=sum("findings" in row for row in mine),
            found=sum(row.get("findings", 0) > 0 for row in mine),
        )


def output(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout.strip()


def record(rows, options, folder, commit):
    """As an experiment's record, which the tests of results/ read."""
    projects = [name for name in dict.fromkeys(row["project"] for row in rows)]
    commits = {name: output("git", "-C", str(folder / name), "rev-parse", "HEAD") for name in projects}
    for row in rows:
        row.update({key: round(row[key], 2) for key in row if key.endswith("seconds")})
    check = " --check" if options.check else ""
    return {
        "schema": 1,
        "kind": "lab",
        "experiment": "survey",
        "command": f"scripts/survey.py FOLDER{check} --out {options.out}",
        "created": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "build": {
            "version": re.search(r"[\d.]+", output(str(options.bin / "cairn"), "--version"))[0],
            "commit": commit,
            "compiler": output("g++", "--version").splitlines()[0],
        },
        "machine": f"{os.cpu_count()} cores of {platform.machine()}, no GPU",
        "conclusions": [
            f"{g['name']}: of {g['programs']} programs {g['compile']} compile and {g['passed']} pass within "
            f"{options.limit} s each; of {g['checked']} checked {g['found']} have findings"
            for g in groups(rows)
        ],
        "notes": [f"{name} at {commit}" for name, commit in commits.items() if commit],
        "rows": rows,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="where the clones are")
    parser.add_argument("--only", default="", help="programs with this in their name")
    parser.add_argument("--check", action="store_true", help="run what passes under the detectors too")
    parser.add_argument("--limit", type=int, default=60, help="seconds a run may take (60)")
    parser.add_argument("--check-limit", type=int, default=300, help="the same under the detectors (300)")
    parser.add_argument("--out", type=pathlib.Path, help="write the rows to this file")
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    options = parser.parse_args()
    tools = options.bin.resolve()
    if not (tools / "cairn-nvcc").exists():
        sys.exit(f"survey.py: there is no {tools}/cairn-nvcc: build first, or give --bin")
    folder = options.folder.resolve()
    wanted = [p for p in [*PROGRAMS, *samples(folder)] if options.only in f"{p['project']}/{p['program']}"]
    rows, commit = [], output("git", "rev-parse", "HEAD")
    with tempfile.TemporaryDirectory(prefix="cairn-survey-") as scratch:
        for missing in sorted({p["project"] for p in PROGRAMS + [{"project": "cuda-samples"}]}):
            if not (folder / missing).is_dir():
                print(f"{missing}: not in {folder}, left out")
        for program in wanted:
            if not (folder / program["project"]).is_dir():
                continue
            row = survey(program, folder, pathlib.Path(scratch), tools, options)
            rows.append(row)
            seconds = f"{row['seconds']:6.1f} s" if "seconds" in row else " " * 8
            told = "" if "check_seconds" not in row else f"  {row.get('findings', '-')} findings"
            print(f"{row['project']:22} {row['program']:44} {seconds}  {row['result']}{told}  {row['detail']}", flush=True)
    print("\n| project | programs | compile | pass | seconds, the longest | checked | with findings |\n|---|---|---|---|---|---|---|")
    for g in groups(rows):
        numbers = [g["programs"], g["compile"], g["passed"], f"{g['longest']:.1f}", g["checked"], g["found"]]
        print(f"| {g['name']} | {' | '.join(map(str, numbers))} |")
    if options.out:
        options.out.write_text(json.dumps(record(rows, options, folder, commit), indent=0) + "\n")


if __name__ == "__main__":
    main()
