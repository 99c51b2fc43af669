<?php
// Messages
return [
    'hello' => 'It\'s :name',
    "double" => "Line\nTwo \$5 \"x\"",
    'nested' => [
        'inner' => 'Deep', /* comment, with 'quotes' */
        'list' => array('first', 'second'),
    ],
    'computed' => 'a' . 'b',
    'call' => trans('x'),
    'number' => 3,
    'empty' => '',
];
