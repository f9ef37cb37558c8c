import { type Html, html } from "../../../docs/html.ts"
import { buttonLink } from "../page-parts.ts"
import { START_PATH } from "../urls.ts"

/** Leads an operator without a property to the start page. Pages show it instead of an empty list. */
export const emptyAccountNote: Html = html`<section class="welcome">
<h2>Welcome</h2>
<p>Add your first property, connect its bookings and set a price. It takes a few minutes.</p>
<p>${buttonLink(START_PATH, "Get started")}</p>
</section>
`
