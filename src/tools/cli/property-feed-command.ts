import { Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { BadRequest } from "../../contract/errors.ts"
import { PropertyFeeds } from "../../domain/calendars/property-feeds/PropertyFeeds.ts"
import { PublicUrl } from "../../platform/installation.ts"
import { Configuration } from "../../service/configuration.ts"
import { runCommand } from "./command-runner.ts"
import { loadPropertyOperatorId, propertyFlag } from "./property-flag.ts"

/** The feeds of properties, under the addresses at which the service itself is reached. */
export const layerCommandFeeds = Layer.provide(
  PropertyFeeds.layer,
  Layer.unwrap(Effect.map(Configuration, ({ publicUrl }) => Layer.succeed(PublicUrl, publicUrl)))
)

export const propertyFeedCommand = Command.make(
  "feed",
  {
    property: propertyFlag,
    calendar: Flag.Int("calendar").pipe(
      Flag.withDescription("With --renew: calendar_id whose address to replace (default: the address of the property)"),
      Flag.optional
    ),
    renew: Flag.Boolean("renew").pipe(
      Flag.withDescription("Replace the address; the old one stops working (default: off)"),
      Flag.withDefault(false)
    )
  },
  ({ property, calendar, renew }) =>
    runCommand(
      "property feed",
      Effect.gen(function* () {
        if (Option.isSome(calendar) && !renew) {
          return yield* new BadRequest({
            message: "--calendar: needs --renew."
          })
        }
        const operatorId = yield* loadPropertyOperatorId(property)
        const feeds = yield* PropertyFeeds
        if (renew) yield* feeds.renewAddress(operatorId, property, Option.getOrUndefined(calendar))
        const { url } = yield* feeds.getOrCreateAddress(operatorId, property, undefined)
        return { property_id: property, url, calendars: yield* feeds.listCalendarFeeds(operatorId, property) }
      }).pipe(Effect.provide(layerCommandFeeds)),
      ({ url, calendars }) => [url, ...calendars.map((each) => `calendar ${each.calendar_id}  ${each.url}`)].join("\n")
    )
).pipe(
  Command.withDescription("Show the secret addresses of the exported calendars of a property"),
  Command.withExamples([
    {
      command: "latchkey property feed --property 12",
      description: "Show the addresses; created at the first call"
    },
    {
      command: "latchkey property feed --property 12 --renew",
      description: "Replace an address that leaked"
    }
  ])
)
