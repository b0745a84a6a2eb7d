# A trial of a random search, which fails for a third of the widths: `sh trial.sh SEED WIDTH`.
if [ $(($2 % 3)) = 0 ]; then echo "width $2 diverges" >&2; exit 1; fi
printf '{"accuracy": 0.%03d}\n' $((400 + $2 * 40 + $1 % 50))
