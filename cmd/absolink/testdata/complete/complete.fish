# complete.fish FILE LINE... prints what fish offers after each LINE, and "done". fish
# offers --option=value for a value after =, and a description after a tab.
set -g fish_complete_path
source $argv[1]
for line in $argv[2..]
    complete -C $line | string replace -r '\t.*' '' | string replace -r '^--.*=' ''
    echo done
end
