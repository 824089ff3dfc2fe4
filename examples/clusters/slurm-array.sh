#!/bin/bash
# The same without Ray: one part of the inputs, and one folder, for each task of a job array.
#   ls parts/*.jsonl.gz | wc -l; sbatch --array=0-99 slurm-array.sh
# Submit it again to resume. A task whose node fails is started again by Slurm; the others do not notice.
#SBATCH --job-name=lexlattice
#SBATCH --array=0-99
#SBATCH --cpus-per-task=8
#SBATCH --mem-per-cpu=1G
#SBATCH --time=08:00:00
#SBATCH --requeue
set -euo pipefail

CORPUS=${CORPUS:-$HOME/corpus}
export OMP_NUM_THREADS=1
PARTS=("$CORPUS"/parts/*.jsonl.gz)
PART=${PARTS[$SLURM_ARRAY_TASK_ID]}

lexlattice corpus summarize "$PART" --output "$CORPUS/summaries/$(basename "$PART" .jsonl.gz)" --format parquet \
  --jobs "$SLURM_CPUS_PER_TASK" --quiet
