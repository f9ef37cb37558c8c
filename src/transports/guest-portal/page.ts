import { ARRIVAL, PHOTO, WHOSE } from "../../domain/bookings/check-in/labels.ts"
import type { OpenedStay } from "../../domain/bookings/check-in/opened-stay.ts"
import {
  awaitedBy,
  doorCodeOf,
  hasEnded,
  hasEnough,
  isDoorTime,
  isOpen,
  opensAt,
  othersOf
} from "../../domain/bookings/check-in/rules.ts"
import { clockText } from "../../domain/bookings/stays/rules.ts"
import { IMAGE_BYTES } from "../../platform/limits.ts"
import { type Html, html, nothing } from "../docs/html.ts"
import type { Document } from "../pages/document.ts"
import { STYLE } from "./style.ts"

// The page of a stay, without a script: what its guests need to know, and what is asked of them.

/** What came of a form, or of the one before. */
export interface Said {
  readonly how: "done" | "error"
  readonly words: string
}

export interface GuestView {
  readonly stay: OpenedStay
  readonly now: Date
  /** Days after check-out that photos are kept. */
  readonly keptDays: number
  readonly said: Said | undefined
}

export const guestPage = (view: GuestView): Document => {
  const { stay, now } = view
  const title = stay.title ?? "Your stay"
  return {
    title,
    style: STYLE,
    body: html`<header>
<h1>${title}</h1>
<p class="soft">${standing(stay, now)}</p>
</header>
${view.said === undefined ? nothing : messageOf(view.said)}<main>
${whenSection(stay)}${stay.status === "accepted" ? agreedSections(view) : nothing}</main>
`
  }
}

const messageOf = ({ how, words }: Said): Html =>
  html`<p class="message ${how}" role="${how === "done" ? "status" : "alert"}">${words}</p>
`

/** How it stands with the stay, in a sentence. */
const standing = (stay: OpenedStay, now: Date): string => {
  if (stay.status === "wait_pay") return "This stay is not paid yet. This page shows more after the payment."
  if (stay.status !== "accepted") return "Your host has not confirmed this stay yet. This page shows more after that."
  if (hasEnded(stay, now)) return "This stay is over."
  return stay.title === null ? "Your host will tell you where you will stay." : `Your stay with ${stay.host_name}.`
}

const sectionOf = (id: string, heading: string, body: Html): Html => html`<section aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
${body}</section>
`

const DAY = new Intl.DateTimeFormat("en-GB", {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC"
})

/** `Tuesday 4 May 2027`. */
const dayName = (date: string): string => DAY.format(new Date(`${date}T00:00:00Z`)).replace(",", "")

const whenSection = (stay: OpenedStay): Html =>
  sectionOf(
    "when",
    "When",
    html`<dl>
<dt>Check-in</dt><dd>${dayName(stay.check_in_date)}, from ${stay.check_in_time}</dd>
<dt>Check-out</dt><dd>${dayName(stay.check_out_date)}, until ${stay.check_out_time}</dd>
</dl>
`
  )

const agreedSections = (view: GuestView): Html => {
  const { stay, now } = view
  const open = isOpen(stay, now)
  return html`${open ? [doorSection(view), whereSection(stay), documentsSection(view), arrivalSection(stay), whoSection(stay)] : [whereSection(stay)]}${hostSection(stay)}`
}

const DEGREES = /^-?\d{1,3}(\.\d{1,15})?$/

/** An address that the guest's own device opens in whatever shows maps there: no map service hears of it from here. */
const mapLink = ({ latitude, longitude }: OpenedStay): Html =>
  latitude !== null && longitude !== null && DEGREES.test(latitude) && DEGREES.test(longitude)
    ? html`<p><a href="geo:${latitude},${longitude}">Open in a map</a></p>
`
    : nothing

const whereSection = (stay: OpenedStay): Html =>
  stay.address === null
    ? nothing
    : sectionOf(
        "where",
        "Where",
        html`<p class="address">${stay.address}</p>
${mapLink(stay)}`
      )

const doorSection = ({ stay, now }: GuestView): Html => {
  if (stay.lock_code === null) return nothing
  const code = doorCodeOf(stay, now)
  const body =
    code === undefined ? html`<p>${doorWords(stay, now)}</p>` : html`<p class="code" translate="no">${code}</p>`
  return sectionOf(
    "door",
    "Door code",
    html`${body}
`
  )
}

/** When the code is shown, and what for it waits. */
const doorWords = (stay: OpenedStay, now: Date): string => {
  const when = isDoorTime(stay, now) ? "here" : `here on ${dayName(stay.check_in_date)}, from ${opensAt(stay)}`
  const awaited = awaitedBy(stay)
  if (awaited === "images") return `The code is shown ${when}, once the photos of your identity documents have arrived.`
  if (awaited === "approval") return `The code is shown ${when}, once your host has approved your photos.`
  return `The code is shown ${when}.`
}

const arrivalSection = ({ arrival_at }: OpenedStay): Html =>
  sectionOf(
    "arrival",
    "Your arrival",
    html`<form method="post" action="?form=arrival">
<label>${ARRIVAL}, on the clock there <input type="time" name="arrival_at" value="${clockText(arrival_at) ?? ""}"></label>
<p class="soft">Leave it empty if you do not know it. Your host sees what you save.</p>
<button>Save</button>
</form>
`
  )

const photos = (count: number): string => (count === 1 ? "1 photo received" : `${count} photos received`)

const documentsSection = (view: GuestView): Html => {
  const { stay, keptDays } = view
  if (stay.id_required === "not_required") return nothing
  const others = othersOf(stay)
  const rows = [
    ...stay.guests.map(
      ({ name, images }) => html`<li>${name}: ${images === 0 ? "missing" : photos(images)}</li>
`
    ),
    ...(others === 0
      ? []
      : [
          html`<li>${others === 1 ? "1 other guest" : `${others} other guests`}: ${stay.other_images === 0 ? "missing" : photos(stay.other_images)}</li>
`
        ])
  ]
  return sectionOf(
    "documents",
    "Identity documents",
    html`<p>${documentsWords(stay)}</p>
<ul>
${rows}</ul>
${photoForm(stay)}<p class="soft">The photos go to your host. They are deleted ${keptDays === 1 ? "1 day" : `${keptDays} days`} after check-out.</p>
`
  )
}

const documentsWords = (stay: OpenedStay): string => {
  const awaited = awaitedBy(stay)
  if (awaited === "images") return "Your host asks for a photo of an identity document of each guest, except infants."
  if (awaited === "approval") return "All photos have arrived. Your host will check them."
  return stay.id_required === "required" ? "All photos have arrived." : "Your host has approved your documents."
}

/** Whose photo is taken: everybody of whom there may be one more, those of whom there is none yet first. */
const photoForm = (stay: OpenedStay): Html => {
  const named = stay.guests
    .filter(({ id }) => !hasEnough(stay, id))
    .toSorted((one, other) => Math.min(one.images, 1) - Math.min(other.images, 1))
    .map(({ id, name }) => html`<option value="${id}">${name}</option>`)
  const options = hasEnough(stay, null) ? named : [...named, html`<option value="other">Another guest</option>`]
  if (options.length === 0) return nothing
  return html`<form method="post" action="?form=photo" enctype="multipart/form-data">
<label>${WHOSE} <select name="guest">${options}</select></label>
<label>${PHOTO} (JPEG, at most ${IMAGE_BYTES / 1024 / 1024} MB) <input type="file" name="photo" accept="image/jpeg" required></label>
<button>Send the photo</button>
</form>
`
}

const counted = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`

const whoSection = (stay: OpenedStay): Html => {
  const names = stay.guests.length > 0 ? stay.guests.map(({ name }) => name) : [stay.guest_name ?? ""]
  const all = [
    counted(stay.number_of_guests, "guest"),
    ...(stay.number_of_infants > 0 ? [counted(stay.number_of_infants, "infant")] : []),
    ...(stay.number_of_pets > 0 ? [counted(stay.number_of_pets, "pet")] : [])
  ]
  return sectionOf(
    "who",
    "Guests",
    html`<p>${all.join(", ")}</p>
<ul>${names.filter((name) => name !== "").map((name) => html`<li>${name}</li>`)}</ul>
`
  )
}

const hostSection = ({ host_name, host_email }: OpenedStay): Html =>
  sectionOf(
    "host",
    "Your host",
    html`<p>${host_name}${host_email === null ? nothing : html`<br><a href="mailto:${encodeURIComponent(host_email).replace("%40", "@")}">${host_email}</a>`}</p>
`
  )

/** A page that says one thing. */
const wordPage = (title: string, words: string): Document => ({
  title,
  style: STYLE,
  body: html`<main>
<h1>${title}</h1>
<p>${words}</p>
</main>
`
})

export const noSuchPage = wordPage(
  "Page not found",
  "There is no stay at this address. Ask your host for the right link."
)
export const failedPage = wordPage("Something went wrong", "This page cannot be shown now. Please try again later.")
export const busyPage = wordPage("Please wait", "The service is busy. Please try again in a few seconds.")
export const tooManyPage = (seconds: number): Document =>
  wordPage("Please wait", `This page was opened too often. Please try again in ${counted(seconds, "second")}.`)
export const wrongMethodPage = wordPage(
  "Request not accepted",
  "Open this page in a browser, or send one of its forms."
)
export const refusedPage = (words: string): Document => wordPage("Request not accepted", words)
