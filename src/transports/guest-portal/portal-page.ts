import { ARRIVAL_LABEL, DOCUMENT_OWNER_LABEL, PHOTO_LABEL } from "../../domain/bookings/check-in/guest-portal-labels.ts"
import type { GuestPortalStay } from "../../domain/bookings/check-in/guest-portal-stay.ts"
import {
  countUnnamedGuests,
  findDoorCodeBlocker,
  findVisibleDoorCode,
  hasReachedImageLimit,
  hasStayEnded,
  isDoorCodeTime,
  isStayEditable,
  toDoorCodeStartTime
} from "../../domain/bookings/check-in/rules.ts"
import { toClockText } from "../../domain/bookings/stays/rules.ts"
import { IMAGE_BYTES } from "../../platform/limits.ts"
import { type Html, html, nothing } from "../docs/html.ts"
import type { HtmlPage } from "../pages/html-page.ts"
import { STYLE } from "./style.ts"

export interface PortalMessage {
  readonly kind: "done" | "error"
  readonly text: string
}

interface PortalView {
  readonly stay: GuestPortalStay
  readonly now: Date
  readonly photoRetentionDays: number
  readonly message: PortalMessage | undefined
}

export const renderPortalPage = (view: PortalView): HtmlPage => {
  const { stay, now } = view
  const title = stay.title ?? "Your stay"
  return {
    title,
    style: STYLE,
    body: html`<header>
<h1>${title}</h1>
<p class="soft">${statusText(stay, now)}</p>
</header>
${view.message === undefined ? nothing : renderMessage(view.message)}<main>
${whenSection(stay)}${stay.status === "accepted" ? acceptedStaySections(view) : nothing}</main>
`
  }
}

const renderMessage = ({ kind, text }: PortalMessage): Html =>
  html`<p class="message ${kind}" role="${kind === "done" ? "status" : "alert"}">${text}</p>
`

const statusText = (stay: GuestPortalStay, now: Date): string => {
  if (stay.status === "wait_pay") return "This stay is not paid yet. This page shows more after the payment."
  if (stay.status !== "accepted") return "Your host has not confirmed this stay yet. This page shows more after that."
  if (hasStayEnded(stay, now)) return "This stay is over."
  return stay.title === null ? "Your host will tell you where you will stay." : `Your stay with ${stay.host_name}.`
}

const section = (id: string, heading: string, body: Html): Html => html`<section aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
${body}</section>
`

const DAY_FORMAT = new Intl.DateTimeFormat("en-GB", {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC"
})

const formatDay = (date: string): string => DAY_FORMAT.format(new Date(`${date}T00:00:00Z`)).replace(",", "")

const whenSection = (stay: GuestPortalStay): Html =>
  section(
    "when",
    "When",
    html`<dl>
<dt>Check-in</dt><dd>${formatDay(stay.check_in_date)}, from ${stay.check_in_time}</dd>
<dt>Check-out</dt><dd>${formatDay(stay.check_out_date)}, until ${stay.check_out_time}</dd>
</dl>
`
  )

const acceptedStaySections = (view: PortalView): Html => {
  const { stay, now } = view
  const isPortalOpen = isStayEditable(stay, now)
  return html`${isPortalOpen ? [doorSection(view), whereSection(stay), documentsSection(view), arrivalSection(stay), guestsSection(stay)] : [whereSection(stay)]}${hostSection(stay)}`
}

const DEGREES = /^-?\d{1,3}(\.\d{1,15})?$/

/** Opens the map app of the device, so that no map service learns of the visit. */
const mapLink = ({ latitude, longitude }: GuestPortalStay): Html =>
  latitude !== null && longitude !== null && DEGREES.test(latitude) && DEGREES.test(longitude)
    ? html`<p><a href="geo:${latitude},${longitude}">Open in a map</a></p>
`
    : nothing

const whereSection = (stay: GuestPortalStay): Html =>
  stay.address === null
    ? nothing
    : section(
        "where",
        "Where",
        html`<p class="address">${stay.address}</p>
${mapLink(stay)}`
      )

const doorSection = ({ stay, now }: PortalView): Html => {
  if (stay.lock_code === null) return nothing
  const code = findVisibleDoorCode(stay, now)
  const body =
    code === undefined ? html`<p>${doorCodeText(stay, now)}</p>` : html`<p class="code" translate="no">${code}</p>`
  return section(
    "door",
    "Door code",
    html`${body}
`
  )
}

const doorCodeText = (stay: GuestPortalStay, now: Date): string => {
  const whenText = isDoorCodeTime(stay, now)
    ? "here"
    : `here on ${formatDay(stay.check_in_date)}, from ${toDoorCodeStartTime(stay)}`
  const missingStep = findDoorCodeBlocker(stay)
  if (missingStep === "images")
    return `The code is shown ${whenText}, once the photos of your identity documents have arrived.`
  if (missingStep === "approval") return `The code is shown ${whenText}, once your host has approved your photos.`
  return `The code is shown ${whenText}.`
}

const arrivalSection = ({ arrival_at }: GuestPortalStay): Html =>
  section(
    "arrival",
    "Your arrival",
    html`<form method="post" action="?form=arrival">
<label>${ARRIVAL_LABEL}, on the clock there <input type="time" name="arrival_at" value="${toClockText(arrival_at) ?? ""}"></label>
<p class="soft">Leave it empty if you do not know it. Your host sees what you save.</p>
<button>Save</button>
</form>
`
  )

const photoCountText = (count: number): string => (count === 1 ? "1 photo received" : `${count} photos received`)

const documentsSection = (view: PortalView): Html => {
  const { stay, photoRetentionDays } = view
  if (stay.id_required === "not_required") return nothing
  const otherGuestCount = countUnnamedGuests(stay)
  const rows = [
    ...stay.guests.map(
      ({ name, images }) => html`<li>${name}: ${images === 0 ? "missing" : photoCountText(images)}</li>
`
    ),
    ...(otherGuestCount === 0
      ? []
      : [
          html`<li>${otherGuestCount === 1 ? "1 other guest" : `${otherGuestCount} other guests`}: ${stay.other_images === 0 ? "missing" : photoCountText(stay.other_images)}</li>
`
        ])
  ]
  return section(
    "documents",
    "Identity documents",
    html`<p>${documentsText(stay)}</p>
<ul>
${rows}</ul>
${photoForm(stay)}<p class="soft">The photos go to your host. They are deleted ${photoRetentionDays === 1 ? "1 day" : `${photoRetentionDays} days`} after check-out.</p>
`
  )
}

const documentsText = (stay: GuestPortalStay): string => {
  const missingStep = findDoorCodeBlocker(stay)
  if (missingStep === "images")
    return "Your host asks for a photo of an identity document of each guest, except infants."
  if (missingStep === "approval") return "All photos have arrived. Your host will check them."
  return stay.id_required === "required" ? "All photos have arrived." : "Your host has approved your documents."
}

const photoForm = (stay: GuestPortalStay): Html => {
  const namedGuestOptions = stay.guests
    .filter(({ id }) => !hasReachedImageLimit(stay, id))
    .toSorted((one, other) => Math.min(one.images, 1) - Math.min(other.images, 1))
    .map(({ id, name }) => html`<option value="${id}">${name}</option>`)
  const options = hasReachedImageLimit(stay, null)
    ? namedGuestOptions
    : [...namedGuestOptions, html`<option value="other">Another guest</option>`]
  if (options.length === 0) return nothing
  return html`<form method="post" action="?form=photo" enctype="multipart/form-data">
<label>${DOCUMENT_OWNER_LABEL} <select name="guest">${options}</select></label>
<label>${PHOTO_LABEL} (JPEG, at most ${IMAGE_BYTES / 1024 / 1024} MB) <input type="file" name="photo" accept="image/jpeg" required></label>
<button>Send the photo</button>
</form>
`
}

const countText = (count: number, singular: string): string => `${count} ${count === 1 ? singular : `${singular}s`}`

const guestsSection = (stay: GuestPortalStay): Html => {
  const names = stay.guests.length > 0 ? stay.guests.map(({ name }) => name) : [stay.guest_name ?? ""]
  const guestCounts = [
    countText(stay.number_of_guests, "guest"),
    ...(stay.number_of_infants > 0 ? [countText(stay.number_of_infants, "infant")] : []),
    ...(stay.number_of_pets > 0 ? [countText(stay.number_of_pets, "pet")] : [])
  ]
  return section(
    "who",
    "Guests",
    html`<p>${guestCounts.join(", ")}</p>
<ul>${names.filter((name) => name !== "").map((name) => html`<li>${name}</li>`)}</ul>
`
  )
}

const hostSection = ({ host_name, host_email }: GuestPortalStay): Html =>
  section(
    "host",
    "Your host",
    html`<p>${host_name}${host_email === null ? nothing : html`<br><a href="mailto:${encodeURIComponent(host_email).replace("%40", "@")}">${host_email}</a>`}</p>
`
  )

const textPage = (title: string, text: string): HtmlPage => ({
  title,
  style: STYLE,
  body: html`<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
`
})

export const notFoundPage = textPage(
  "Page not found",
  "There is no stay at this address. Ask your host for the right link."
)
export const failedPage = textPage("Something went wrong", "This page cannot be shown now. Please try again later.")
export const busyPage = textPage("Please wait", "The service is busy. Please try again in a few seconds.")
export const tooManyPage = (seconds: number): HtmlPage =>
  textPage("Please wait", `This page was opened too often. Please try again in ${countText(seconds, "second")}.`)
export const methodNotAllowedPage = textPage(
  "Request not accepted",
  "Open this page in a browser, or send one of its forms."
)
export const rejectedPage = (text: string): HtmlPage => textPage("Request not accepted", text)
