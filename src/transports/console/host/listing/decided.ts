import { Effect } from "effect"
import type { Acting } from "../../../../contract/acting.ts"
import { Listings, type NewRatio } from "../../../../domain/listings/Listings.ts"
import type { Link } from "../../../../domain/listings/rules.ts"
import { NAMES_CHOSEN_FROM, RATIO_MAX } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { idOf } from "../../id.ts"
import type { Refused } from "../../outcome.ts"
import type { OneListingShown } from "../../queries/OneListing.ts"
import type { Form, SignedInVisit } from "../../visit.ts"
import { refusedAs } from "../asking.ts"
import { asText, behind, filling, formOf, input, type Option, select, touchedIn, withOwn } from "../fields.ts"
import { type HostAct, type NotTaken, refusal } from "../page.ts"
import { section } from "../parts.ts"
import { sellsText } from "./said.ts"

// What a host decides of a listing: what it sells, and for how much of its price. No operation of the API does it: the service
// does, that the command line calls too, and for a listing of the operator's alone.

/** What a form says that the listing sells, `property:12` or `room_type:3`. */
const linkIn = (form: Form): Link | undefined => {
  const [type, text] = (form.get("sells") ?? "").split(":")
  const id = idOf(text)
  return id !== undefined && (type === "property" || type === "room_type") ? { type, id } : undefined
}

const linkText = ({ property_id, room_type_id }: OneListingShown): string => {
  if (property_id !== null) return `property:${property_id}`
  return room_type_id === null ? "" : `room_type:${room_type_id}`
}

export const makeDecided = Effect.fnUntraced(function* (
  own: (visit: SignedInVisit) => Effect.Effect<OneListingShown, Refused>
) {
  const listings = yield* Listings

  const linked = (visit: SignedInVisit, to: Link | undefined): Effect.Effect<undefined, Refused, Acting> =>
    Effect.flatMap(own(visit), ({ id }) =>
      listings
        .link(visit.session.person.caller.operatorId, id, to)
        .pipe(Effect.mapError(refusedAs), Effect.as(undefined))
    )

  const acts = {
    link: {
      done: "The listing is linked: its orders come there, and its channel is told what is free.",
      run: (visit, form) => {
        const to = linkIn(form)
        return to === undefined ? Effect.fail(refusal(422, "Choose what the listing sells.")) : linked(visit, to)
      }
    },
    unlink: {
      done: "The listing sells nothing here any more: what is booked there comes into the box.",
      run: (visit) => linked(visit, undefined)
    },
    ratio: {
      done: "Its share of the price is set.",
      run: (visit, form) =>
        Effect.flatMap(own(visit), ({ id }) =>
          listings
            .rate(visit.session.person.caller.operatorId, id, ratioIn(form))
            .pipe(Effect.mapError(refusedAs), Effect.as(undefined))
        )
    }
  } satisfies Readonly<Record<string, HostAct>>

  return {
    acts,
    show: (visit: SignedInVisit, listing: OneListingShown, notTaken: NotTaken | undefined): Html =>
      html`<div class="columns">
${section("What it sells", html`${linkForm(visit, listing, notTaken)}${unlinkForm(visit, listing)}`)}
${section("For how much", ratioForm(visit, listing, notTaken))}
</div>
`
  }
})

const linkForm = (visit: SignedInVisit, listing: OneListingShown, notTaken: NotTaken | undefined): Html => {
  const { properties, room_types } = listing
  if (properties.length === 0)
    return html`<p>You have no property yet that it could sell.</p>
`
  const offered = [
    ...properties.slice(0, NAMES_CHOSEN_FROM).map(({ id, name }) => ({ value: `property:${id}`, words: name })),
    ...room_types
      .slice(0, NAMES_CHOSEN_FROM)
      .map(({ id, name }) => ({ value: `room_type:${id}`, words: `Rooms of ${name}` }))
  ]
  const now = linkText(listing)
  const isCut = properties.length > NAMES_CHOSEN_FROM || room_types.length > NAMES_CHOSEN_FROM
  return html`${formOf(visit, {
    act: "link",
    button: "Link",
    fields: select(filling(notTaken, "link"), {
      name: "sells",
      label: "The property, or the room type whose rooms it sells",
      value: now,
      options: withOwn(offered, now, sellsText(listing)),
      required: true,
      ...(now === "" ? { none: "Choose" } : {})
    })
  })}${isCut ? html`<p class="soft">Only the first ${NAMES_CHOSEN_FROM} by their names are listed.</p>` : nothing}`
}

const unlinkForm = (visit: SignedInVisit, { link_type }: OneListingShown): Html =>
  link_type === null
    ? nothing
    : behind(
        "Take the link away",
        html`<p>What is booked there comes into the box, and its channel is not told any more what is free.</p>
${formOf(visit, { act: "unlink", button: "Take the link away", kind: "danger" })}`
      )

/** What of it was touched; a percent that is none goes on as such. */
const ratioIn = (form: Form): NewRatio => {
  const { percent, readonly } = touchedIn(form, { percent: asText, readonly: asText })
  return {
    ...(percent === undefined ? {} : { percent: Number(percent) }),
    ...(readonly === undefined ? {} : { readonly: readonly === NOT_SET })
  }
}

const NOT_SET = "yes"

const SET_FROM: ReadonlyArray<Option> = [
  { value: "no", words: "here" },
  { value: NOT_SET, words: "not here: at the channel" }
]

const ratioForm = (visit: SignedInVisit, listing: OneListingShown, notTaken: NotTaken | undefined): Html => {
  const fill = filling(notTaken, "ratio")
  return formOf(visit, {
    act: "ratio",
    button: "Set",
    fields: html`${input(fill, {
      name: "percent",
      label: "Percent of the base price of what it sells",
      hint: "100 is that price itself, 115 is 15 percent dearer",
      type: "number",
      min: 1,
      max: RATIO_MAX,
      step: 1,
      value: String(listing.ratio),
      required: true,
      edited: true
    })}${select(fill, { name: "readonly", label: "Its prices are set", value: listing.readonly ? NOT_SET : "no", options: SET_FROM, edited: true })}`
  })
}
