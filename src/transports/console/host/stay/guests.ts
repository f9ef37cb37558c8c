import { missingOf } from "../../../../domain/bookings/check-in/rules.ts"
import type { Reservation } from "../../../../domain/bookings/reservations/record.ts"
import { IMAGE_ENDING, IMAGES_PREFIX, isToken } from "../../../../domain/guests/images/address.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { formOf } from "../fields.ts"
import { badge, section, spoken, table, timeOf } from "../parts.ts"
import type { Seen } from "./seen.ts"

// The people of a stay, and photos of their documents, which somebody has to look at before they may see the door code.

export const guests = (seen: Seen): Html => {
  const { stay } = seen
  return section(
    "Guests",
    html`${table(
      { empty: "No guest is known by name." },
      [
        {
          label: "Name",
          cell: ({ name, is_booker }) => html`${name}${is_booker ? html` ${badge("booked it")}` : nothing}`
        },
        { label: "Phone", cell: ({ phone }) => phone ?? "" },
        { label: "E-mail", cell: ({ email }) => html`<span class="name">${email ?? ""}</span>` },
        { label: "Document", cell: documentWords },
        { label: "Country", cell: ({ country }) => country ?? "" }
      ],
      stay.guests
    )}${photos(seen)}${approval(seen)}`,
    "guests"
  )
}

const documentWords = ({ id_type, id_number }: Reservation["guests"][number]): string =>
  [id_type === null ? "" : spoken(id_type), id_number ?? ""].join(" ").trim()

interface Photo {
  readonly url: string
  readonly of: string
}

/** All there are: of the guests of this stay, and of those of its order whom nobody has named. */
const photosOf = ({ stay }: Seen): ReadonlyArray<Photo> => [
  ...stay.guests.flatMap(({ name, id_images }) => id_images.map(({ url }) => ({ url, of: name }))),
  ...stay.checkin_guide_images
    .filter(({ client_id }) => client_id === null)
    .map(({ url }) => ({ url, of: "a guest without a name here" }))
]

/** Where one of ours is seen from this page, whatever this service is called elsewhere; undefined: it is kept by others. */
const ownPath = (url: string): string | undefined => {
  const path = URL.canParse(url) ? new URL(url).pathname : ""
  const isOurs = path.startsWith(IMAGES_PREFIX) && path.endsWith(IMAGE_ENDING)
  return isOurs && isToken(path.slice(IMAGES_PREFIX.length, -IMAGE_ENDING.length)) ? path : undefined
}

const photos = (seen: Seen): Html => {
  const all = photosOf(seen)
  return all.length === 0
    ? nothing
    : html`<h3>Photos of documents</h3>
<ul class="papers">
${all.map(photo)}</ul>
`
}

const photo = ({ url, of }: Photo, nth: number): Html => {
  const path = ownPath(url)
  const shown =
    path === undefined
      ? /^https?:\/\//.test(url)
        ? html`<a href="${url}" rel="noreferrer">Photo, kept by the channel</a>`
        : html`Photo, not kept here`
      : html`<a href="${path}"><img src="${path}" alt="Photo ${nth + 1}, of ${of}"></a>`
  return html`<li>${shown}<br><span class="soft">${of}</span></li>
`
}

/** Whose photo is missing. */
const missingWords = (seen: Seen): ReadonlyArray<string> => {
  const { stay, beside } = seen
  const company = stay.guests.map(({ id, name, id_images }) => ({ id, name, images: id_images.length }))
  const { number_of_guests, check_in_details } = stay
  const { id_required } = check_in_details
  return missingOf({ guests: company, number_of_guests, id_required, other_images: beside.other_images }).map(
    ({ name, count }) => name ?? (count === 1 ? "one guest without a name here" : `${count} guests without a name here`)
  )
}

const approval = (seen: Seen): Html => {
  const { visit, stay, beside } = seen
  const { id_required } = stay.check_in_details
  if (stay.status !== "accepted" || id_required === "not_required") return nothing
  const missing = missingWords(seen)
  const waits =
    missing.length === 0
      ? nothing
      : html`<p>Photos of documents are missing: ${missing.join(", ")}.</p>
`
  if (id_required === "required") return waits
  if (beside.check_in_approved_at !== null) {
    return html`<p>${badge("approved", "good")} The check-in is approved since ${timeOf(beside.check_in_approved_at, visit)}.</p>
`
  }
  return missing.length === 0 && photosOf(seen).length > 0
    ? formOf(visit, {
        act: "approve_check_in",
        button: "Approve the check-in",
        fields: html`<p>Look at the photos first. Once approved, the guests see the door code when its time has come; this cannot be taken back.</p>
`
      })
    : html`${waits}<p>The check-in can be approved once the photos are there.</p>
`
}
