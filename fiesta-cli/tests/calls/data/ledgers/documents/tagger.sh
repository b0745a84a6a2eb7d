# A tagger's counts on a document: `sh tagger.sh ARM DOCUMENT`.
number=${2#d}
case $1 in good) wrong=1 ;; *) wrong=4 ;; esac
printf '{"tp": %d, "fp": %d, "fn": %d, "cost": 1}\n' $((12 - wrong)) $((wrong + number % 2)) $((wrong - number % 2))
