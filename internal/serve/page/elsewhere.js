import { byId } from './dom.js';
import { frames } from './render.js';

// The page that opens this one sends the documents. The policy of this page lets them ask
// other servers for images, styles and fonts, and run no scripts.
addEventListener('message', (event) => {
	if (event.origin === location.origin && event.source === opener) byId('frames').replaceChildren(...frames(event.data.titles, event.data.texts));
});
opener?.postMessage('ready', location.origin);
