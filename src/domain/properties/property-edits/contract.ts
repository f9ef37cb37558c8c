import { Schema } from "effect"
import { Conflict, NotFound } from "../../../contract/errors.ts"
import { Currency, hourAndMinute, Id, NumberOfGuests, textUpTo } from "../../../contract/fields.ts"
import { editPayloadFields } from "../../../contract/immutable-fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import {
  BASE_PRICE_LISTINGS_MAX,
  COORDINATE_LENGTH,
  GUESTS_MAX,
  PRICE_ITEMS_MAX,
  PROPERTY_ADDRESS_LENGTH
} from "../../../platform/limits.ts"
import { Property, Title } from "../properties/contract.ts"
import { PriceItems } from "../properties/price-items.ts"

const DefaultTime = hourAndMinute("15:00").annotate({ description: "HH:mm" })

const DECIMAL_NUMBER = /^-?\d{1,3}(\.\d+)?$/

const degreesUpTo = (maxDegrees: number, example: string) =>
  textUpTo(COORDINATE_LENGTH).check(
    Schema.makeFilter((text) => DECIMAL_NUMBER.test(text) && Math.abs(Number(text)) <= maxDegrees, {
      expected: `degrees from -${maxDegrees} to ${maxDegrees}, such as ${example}`,
      toJsonSchema: () => [{}, true]
    })
  )

const operation = defineFamily({ category: "property", since: "3.13.0", openWorld: true })

export const update_property = operation("update_property", {
  route: "PATCH /properties/{id}",
  rejectsUnknownFields: true,
  summary: "Change a property, deactivate it or activate it",
  details: `Fields that are not sent stay. A record of search_properties can be sent back whole. Fields that cannot change accept only their present values, and other values return 422. An unknown field returns 400.

- Use update_property_group and update_property_tag to change groups and tags.
- New check-in or check-out times reschedule the automatic actions of the property's stays. Channels receive nothing.
- A new currency converts nothing: base prices, fees and taxes keep their numbers. Mapped listings in the new currency get the base prices from today on, in place of prices of update_listing_prices. Other listings get nothing.
- A fee or tax with more decimals than the currency has returns 422. A new currency returns 422 if its base prices would go to more than ${BASE_PRICE_LISTINGS_MAX} listings.
- If the queue of a listing is full, a new currency returns 409 with \`Retry-After\`.
- If the properties of a room type get different currencies, its base prices are in the operator's currency. Properties with another currency no longer use them.
- A deactivated property takes no manual reservation (422). Reservations from channels still arrive.
- Another property with the same title returns 409 with its id in \`data.id\`.`,
  payload: editPayloadFields(Property, {
    id: Id.annotateKey({ documentation: "Id of the property, from search_properties." }),
    title: Schema.optionalKey(Title).annotateKey({
      documentation: "New title, one line. Surrounding spaces are removed, and case counts."
    }),
    address: Schema.optionalKey(Schema.NullOr(textUpTo(PROPERTY_ADDRESS_LENGTH))).annotateKey({
      documentation: "Surrounding white space is removed. null or a blank text removes the address."
    }),
    longitude: Schema.optionalKey(Schema.NullOr(degreesUpTo(180, "-9.1302"))).annotateKey({
      documentation: "Degrees from -180 to 180 as decimal text, such as `-9.1302`. null removes it."
    }),
    latitude: Schema.optionalKey(Schema.NullOr(degreesUpTo(90, "38.7118"))).annotateKey({
      documentation: "Degrees from -90 to 90 as decimal text, such as `38.7118`. null removes it."
    }),
    default_checkin_time: Schema.optionalKey(Schema.NullOr(DefaultTime)).annotateKey({
      documentation: "Usual check-in time, `HH:mm` in the host's time zone. null: the host's default."
    }),
    default_checkout_time: Schema.optionalKey(Schema.NullOr(DefaultTime)).annotateKey({
      documentation: "Usual check-out time, `HH:mm` in the host's time zone. null: the host's default."
    }),
    currency: Schema.optionalKey(Schema.NullOr(Currency)).annotateKey({
      documentation: "ISO 4217 code of the property's base prices, fees and taxes. null: the operator's currency."
    }),
    capacity: Schema.optionalKey(Schema.NullOr(NumberOfGuests)).annotateKey({
      documentation: `Most guests of a stay, from 1 to ${GUESTS_MAX}. Only quotes check it. null: not limited.`
    }),
    fees: Schema.optionalKey(PriceItems).annotateKey({
      documentation: `Replaces the fees, at most ${PRICE_ITEMS_MAX}. An empty list removes them.`
    }),
    taxes: Schema.optionalKey(PriceItems).annotateKey({
      documentation: `Replaces the taxes, at most ${PRICE_ITEMS_MAX}. An empty list removes them.`
    }),
    is_active: Schema.optionalKey(Schema.Boolean).annotateKey({
      documentation:
        "false deactivates the property: it keeps its stays, and every other day from today on becomes unavailable. true activates it: days that nothing else blocks become available."
    })
  }),
  success: Schema.Struct({
    changed_days: Schema.Int.annotateKey({
      documentation: "Number of days that `is_active` made available or unavailable. 0 without `is_active`."
    })
  }),
  errors: [NotFound, Conflict],
  exposure: { notATool: "a host sets up its properties once, without an agent", extension: true }
})

export const PropertyEditOperations = { update_property }
