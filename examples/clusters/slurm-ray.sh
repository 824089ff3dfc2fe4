#!/bin/bash
# A run on several nodes of a Slurm cluster:  sbatch slurm-ray.sh
# Submit it again to resume. Inputs and output are needed on the first node only, LexLattice on all of them.
#SBATCH --job-name=lexlattice
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --mem-per-cpu=1G
#SBATCH --time=08:00:00
#SBATCH --no-kill
# --no-kill: the job goes on if a node fails
set -euo pipefail

CORPUS=${CORPUS:-$HOME/corpus}
JOBS=$(((SLURM_JOB_NUM_NODES - 1) * SLURM_CPUS_PER_TASK + SLURM_CPUS_PER_TASK - 1))
PORT=6379
STORE=500000000
# Ray's processes know each other by a token, the same on all nodes.
export RAY_AUTH_MODE=token
RAY_AUTH_TOKEN=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
export RAY_AUTH_TOKEN
export OMP_NUM_THREADS=1

mapfile -t NODES < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
HEAD=${NODES[0]}
ADDRESS=$(getent ahostsv4 "$HEAD" | awk '{ print $1; exit }'):$PORT

# one CPU of the first node is left to the reader and the writer
srun --nodes=1 --ntasks=1 --overlap --nodelist="$HEAD" \
  ray start --head --node-ip-address="${ADDRESS%:*}" --port="$PORT" --num-cpus="$((SLURM_CPUS_PER_TASK - 1))" \
  --object-store-memory="$STORE" --include-dashboard=false --disable-usage-stats --block &
sleep 20
for NODE in "${NODES[@]:1}"; do
  srun --nodes=1 --ntasks=1 --overlap --nodelist="$NODE" --kill-on-bad-exit=0 \
    ray start --address="$ADDRESS" --num-cpus="$SLURM_CPUS_PER_TASK" \
    --object-store-memory="$STORE" --disable-usage-stats --block &
done

srun --nodes=1 --ntasks=1 --overlap --nodelist="$HEAD" \
  lexlattice corpus summarize "$CORPUS/eurlex.parquet" --output "$CORPUS/summaries" --format parquet \
  --engine ray --address "$ADDRESS" --jobs "$JOBS" --log "$CORPUS/summaries.log" --quiet
