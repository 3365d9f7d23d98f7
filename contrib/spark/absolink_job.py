"""Does the archives of a manifest on Spark: a call of absolink-archives for each of them.

    spark-submit --files absolink-archives absolink_job.py --table links \\
        --manifest archives.txt --out out --list parquet

All options except --program and --table are those of absolink-archives, which docs/cluster.md
has, and so is the exit code.
"""

import argparse
import ctypes
import os
import signal
import subprocess
import sys

from pyspark import SparkFiles
from pyspark.sql import SparkSession

DEAD = 4  # the exit code where more archives failed than --max-dead allows


def call(program, mode, *arguments):
    """Calls a mode of the program. Returns the exit code, and the lines that are printed."""
    sent = SparkFiles.get(os.path.basename(program))
    run = subprocess.Popen([sent if os.path.exists(sent) else program, mode, *arguments],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           preexec_fn=end_with_parent)
    printed, said = (b.decode("utf-8", "surrogateescape") for b in run.communicate())
    if run.returncode not in (0, DEAD):
        raise ChildProcessError(run.returncode, said.strip().split("\n")[-1])
    sys.stderr.write(said)
    return run.returncode, printed.split("\n")[:-1]


def end_with_parent():
    """Ends this process with the worker that has begun it, on Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def do(spark, program, table, out, options):
    """Does a job. Where a task fails or its worker ends, Spark starts the task again."""
    options = [*options, "--out", out]
    _, tasks = call(program, "plan", *options)
    spark.sparkContext.parallelize(tasks, len(tasks)).foreach(
        lambda task: call(program, "do", *options, "--workers", "1", "--", task))
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
    known, options = parser.parse_known_args()
    with SparkSession.builder.appName("absolink").getOrCreate() as spark:
        try:
            code = do(spark, options=options, **vars(known))
        except ChildProcessError as failed:
            print(failed.strerror, file=sys.stderr)
            code = failed.errno
    sys.exit(code)
