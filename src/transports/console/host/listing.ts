import { DateTime, Effect } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import type { Refused } from "../outcome.ts"
import { OneListing, type OneListingShown } from "../queries/OneListing.ts"
import type { SignedInVisit } from "../visit.ts"
import { CHANNELS_PATH, LISTING_PATH } from "./addresses.ts"
import { makeDays } from "./listing/days.ts"
import { makeDecided } from "./listing/decided.ts"
import { factsOf, stepOf, toldOf } from "./listing/facts.ts"
import { hostPage, notThere, refusal } from "./page.ts"
import { historyLink, idIn, link, zoneOf } from "./parts.ts"

const NONE = "You have no such listing."

/** One listing at a channel: what it sells here and for how much, its month, what its channel was told, and whether it knows. */
export const makeListingPage = Effect.gen(function* () {
  const oneListing = yield* OneListing

  const found = (visit: SignedInVisit): Effect.Effect<OneListingShown | undefined> => {
    const id = idIn(visit, "id")
    return id === undefined ? Effect.undefined : oneListing.of(visit.session.person.caller.operatorId, id)
  }

  /** The listing of the page's address, which must be the operator's own. */
  const own = (visit: SignedInVisit): Effect.Effect<OneListingShown, Refused> =>
    Effect.flatMap(found(visit), (listing) =>
      listing === undefined ? Effect.fail(refusal(404, NONE)) : Effect.succeed(listing)
    )

  const days = makeDays(yield* Service, own)
  const decided = yield* makeDecided(own)

  return hostPage({
    path: LISTING_PATH,
    show: (visit, notTaken) =>
      Effect.gen(function* () {
        const listing = yield* found(visit)
        if (listing === undefined) return notThere("No such listing", NONE)
        const today = dateInZone(yield* DateTime.nowAsDate, visit.session.person.caller.timeZone)
        return {
          title: listing.title === "" ? listing.listing_id : listing.title,
          body: html`<p>${link(CHANNELS_PATH, "All channels")}</p>
${factsOf(listing)}
${decided.show(visit, listing, notTaken)}
${yield* days.show(visit, listing, today, notTaken)}
${stepOf(visit, listing)}
${toldOf(visit, listing.pushes)}
${historyLink(`listing:${listing.id}`)}${zoneOf(visit)}`
        }
      }),
    acts: { ...decided.acts, ...days.acts }
  })
})
