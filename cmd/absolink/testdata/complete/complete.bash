# complete.bash FILE LINE... prints what bash offers after each LINE, and "done".
. "$1"
shift
for COMP_LINE; do
	COMP_POINT=${#COMP_LINE} COMPREPLY=()
	_absolink
	for word in "${COMPREPLY[@]}"; do printf '%s\n' "$word"; done
	echo done
done
