import { Flag } from "effect/cli"
import { InstantText } from "../../contract/fields.ts"
import { toInstant } from "../../contract/time.ts"

/** A flag that takes a time, and may be left out. */
export const instantFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withSchema(InstantText),
    Flag.withDescription(
      `${description}, such as 2027-05-07T10:00:00Z; UTC unless it has an offset (default: no bound)`
    ),
    Flag.map((text) => toInstant(text, "UTC")),
    Flag.optional
  )
