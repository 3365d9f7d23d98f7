"""Does the archives of a manifest on Spark, in calls of absolink-archives.

    spark-submit --files absolink-archives absolink_job.py --table links \\
        --manifest archives.txt --out out --list parquet

All options except --program and --table are those of absolink-archives, which docs/cluster.md
has, and so are the exit codes. Where Spark gives up a task, the exit code is 1.
"""

import argparse
import os
import shutil
import subprocess
import sys

from pyspark import SparkFiles
from pyspark.sql import SparkSession

MOST = 16  # archives in a call: their lines, of 64 KiB each, fit into the arguments of a process
ROUNDS = 32  # calls of a processor, at least, where there are as many archives: all end at about the same time
STOPPED = 1  # the exit code where no archive is to blame
DEAD = 4  # the exit code where more archives failed than --max-dead allows


def call(program, mode, *arguments):
    """Calls a mode of the program. Returns the exit code, and the lines that are printed."""
    sent = SparkFiles.get(os.path.basename(program))
    command = [sent if os.path.exists(sent) else program, mode, *arguments]
    if shutil.which("setpriv"):  # on Linux, where the call then ends with the worker that makes it
        command = ["setpriv", "--pdeathsig", "KILL", *command]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    printed, said = (b.decode("utf-8", "surrogateescape") for b in (run.stdout, run.stderr))
    if run.returncode not in (0, DEAD):
        ended = f"absolink-archives: {mode} has ended with {run.returncode}"
        lines = [line for line in said.split("\n") if line.startswith("absolink-archives: ")]
        raise ChildProcessError(run.returncode, (lines or [ended])[-1])
    sys.stderr.write(said)
    return run.returncode, printed.split("\n")[:-1]


def end_of(program, options, tasks):
    """Does tasks in a call. Returns the error if an archive has ended the process."""
    try:
        call(program, "do", *options, "--workers", "1", "--", *tasks)
    except ChildProcessError as ended:
        if ended.errno == STOPPED:
            raise
        return ended


def do_some(program, options, tasks):
    """Does tasks in one call, or in a call each where an archive ends the process, so that it alone gets the blame."""
    if end_of(program, options, tasks):
        for ended in [end_of(program, options, [task]) for task in tasks]:  # what is done is not done again
            if ended:
                raise ended


def do(spark, program, table, out, options):
    """Does a job. On a cluster, Spark starts a task again that fails, or whose worker ends."""
    out = out if "://" in out else os.path.abspath(out)  # as a table needs it
    options = [*options, "--out", out]
    _, tasks = call(program, "plan", *options)
    context = spark.sparkContext
    calls = min(len(tasks), max(ROUNDS * context.defaultParallelism, -(-len(tasks) // MOST)))
    context.parallelize(tasks, calls).foreachPartition(lambda some: do_some(program, options, list(some)))
    code, _ = call(program, "sum", *options)
    if table:
        spark.sql("DROP TABLE IF EXISTS " + table)
        spark.catalog.createTable(table, out.partition("?")[0].rstrip("/") + "/list", "parquet")
    return code


if __name__ == "__main__":
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--program", default="absolink-archives", help="a path on each worker, or a file of --files")
    parser.add_argument("--table", help="makes this table of the lists")
    parser.add_argument("--out", required=True)
    parser.add_argument("--list")
    known, options = parser.parse_known_args()
    if known.table and known.list != "parquet":
        parser.error("--table needs --list parquet")
    if known.list:
        options += ["--list", known.list]
    with SparkSession.builder.appName("absolink").config("spark.speculation", "false").getOrCreate() as spark:
        try:
            code = do(spark, known.program, known.table, known.out, options)
        except ChildProcessError as failed:
            print(failed.strerror, file=sys.stderr)
            code = max(failed.errno, STOPPED)
    sys.exit(code)
