/** An adapter program that reads and never answers; it ends with its input. */
process.stdin.resume();
