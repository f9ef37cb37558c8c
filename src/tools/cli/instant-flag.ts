import { Schema } from "effect"
import { Flag } from "effect/cli"
import { InstantText } from "../../contract/fields.ts"
import { toInstant } from "../../contract/time.ts"

const EXAMPLE = "2027-05-07T10:00:00Z"

export const instantFlag = (name: string, description: string, whenOmitted = "no bound") =>
  Flag.String(name).pipe(
    Flag.filter(Schema.is(InstantText), () => `a time such as ${EXAMPLE}`),
    Flag.withDescription(`${description}, such as ${EXAMPLE}; UTC unless it has an offset (default: ${whenOmitted})`),
    Flag.map((text) => toInstant(text, "UTC")),
    Flag.optional
  )
