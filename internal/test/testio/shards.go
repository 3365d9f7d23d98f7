package testio

// Shards are put together to random documents, in which values, long values, documents in
// values, encodings and bases follow one another in any order.
var Shards = []string{
	"<a href=x>", "<a href='y'>t</a>", "<img srcset='a, b 2x, c&amp;d 3x'>", "<img srcset='a, b 2x' src='data:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' lowsrc=q>",
	"<a ping='a b c' href=x>", "<style>p{a:url(x);b:url('y')}</style>", "<svg><style>a{b:url(q)}<g href=r />url(z)<!-- url(q) --></style><use href=#x /></svg>",
	"<svg><style>url(a)", "</style>", "</svg>", "<svg>", "<svg/", " a=\"b\">", "<g fill='url(a#b)'>", "<!--[if IE]><a href=x><img srcset='a, b'><![endif]-->", "<!-- x -->",
	"<!-- saved from url=(0014)http://saved/x -->", "<noscript><img src=x><style>a{b:url(x)}</style>", "</noscript>",
	"<iframe srcdoc='<a href=x><style>p{a:url(x)}</style>'></iframe>", `<iframe srcdoc='<base href=k/><a href=x><iframe srcdoc="<a href=x><img srcset=&apos;a,b&apos;>">'></iframe>`,
	"<iframe srcdoc=<a&#32;href=x>&lt;style&gt;url(x)></iframe>", "<base href=z/>", "<base href='http://other/x/'>", "</head>", "<body>", "text", "&amp;x", " ", "<p>",
	"<frameset>", "<frame src=x>", "</frameset>", "<template>", "</template>", "<link href=x rel=stylesheet>", "<link rel=canonical href='http://canonical/'>",
	"\xe9", "\xc3\xa9", "<a href='\xe9x'>", "<img srcset='\xc3\xa9 1x, b 2x' src='data:yyyyyyyyyyyyyyyyyyyyyyyyyyyyy'>", "<meta charset=shift_jis>", "<meta charset=gb18030>",
	"<a href='\xe9'>", "<meta http-equiv=refresh content='0;url=x'>",
	"<p style='a:url(x);b:url(\"y\")' background=x title='zzzzzzzzzzzzzzzzzzzzzzzzzzzzz' longdesc=q>", "<a href='x\n<p'>", "<base href='x\n<p'>", "<foreignObject>", "</p>",
	"<math><mtext>", "</math>", "<table>", "<td>", "</table>", "<select>", "<b>", "</b>", "<a href=", "<!DOCTYPE html>", "                                ", "\r\n", "--", "]]>", "= =\n", "From a@b Mon Jan  1 00:00:00 2001\n", "\n\n", ".\n",
	`<script type=module>import x from "./x"; import('../y')</script>`, `<script type=importmap>{"imports":{"a":"./x","./b":"./c"}}</script>`, `<script type=speculationrules>{"prefetch":[{"urls":["x","y"]}]}</script>`,
	"<meta charset=iso-2022-jp>", "\x1b$BI=\x1b(B", "<a href='\x1b$BI=\x1b(B'>",
}
