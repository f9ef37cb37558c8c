import { Effect } from "effect"
import type { Caller } from "../../../../contract/caller.ts"
import { CurrentCaller } from "../../../../contract/caller.ts"
import { Forbidden, NotFound, ValidationFailed } from "../../../../contract/errors.ts"
import { currentSecond } from "../../../../contract/time.ts"
import { HOUSE_FEEDS_MAX } from "../../../../platform/limits.ts"
import { unknownPropertyIdError } from "../../../properties/properties/ownership.ts"
import type { delete_property_feed } from "../contract.ts"
import { newFeedToken } from "../feed-url.ts"
import type { PropertyFeedStore } from "../store.ts"
import type { HouseCalendar } from "./house-calendar.ts"

type Store = PropertyFeedStore["Service"]

/** Whether the caller may create, renew and delete house calendars, and see their addresses. */
export const isMainAccount = ({ role, grantId }: Pick<Caller, "role" | "grantId">): boolean =>
  role === "main" && grantId === null

export const createHouseFeed = Effect.fnUntraced(function* (store: Store, propertyId: number, calendar: HouseCalendar) {
  const { operatorId } = yield* CurrentCaller
  const id = yield* store.reserveId()
  const owner = { operatorId, propertyId }
  const feed = yield* store.createHouseFeed(owner, calendar, id, newFeedToken(), yield* currentSecond)
  if ("id" in feed) return feed
  return yield* feed.has_property ? houseFeedLimitError : unknownPropertyIdError
})

export const deleteHouseFeed = (store: Store) =>
  Effect.fnUntraced(function* ({ id }: typeof delete_property_feed.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    if (!isMainAccount(caller)) return yield* mainAccountOnlyError("delete")
    const deleted = yield* store.deleteHouseFeed(caller.operatorId, id)
    if (deleted !== undefined) return deleted
    return yield* (yield* store.findKind(caller.operatorId, id)) === undefined
      ? feedNotFoundError
      : undeletableFeedError
  })

export const mainAccountOnlyError = (action: "create" | "renew" | "delete") =>
  new Forbidden({
    message: `Only an access token of the main account can ${action} a house calendar, and no token of a connected application.`
  })

export const feedNotFoundError = new NotFound({ message: "id: no such feed." })

const houseFeedLimitError = new ValidationFailed({
  message: `property_id: the property already has ${HOUSE_FEEDS_MAX} house calendars, the maximum.`
})

const undeletableFeedError = new ValidationFailed({
  message: "id: must be the id of a house calendar. Renew another kind of feed to end its address."
})
