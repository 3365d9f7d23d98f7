# complete.zsh FILE LINE... prints what zsh offers after each LINE, and "done". zsh
# completes only in its line editor, on a terminal: so it runs another zsh on one.
# There, compadd is what offers words.
zmodload zsh/zpty
offered=$(mktemp)
zpty editor "exec zsh -f -i"
zpty -w editor "PS1=; fpath=(${(q)1:h} \$fpath); autoload -U compinit; compinit -D -u; offered=$offered"
zpty -w editor 'compadd() {
	if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)* ]]; then
		local -a words
		builtin compadd -O words "$@"
		print -rl -- $words >>$offered
	fi
	builtin compadd "$@"
}
next-line() { print done >>$offered; zle kill-whole-line }
zle -N next-line
bindkey "^]" next-line'
shift
for line; do zpty -w -n editor "$line"$'\t\x1d'; done
zpty -w editor exit
while zpty -r editor ignored; do :; done
grep . $offered
rm $offered
