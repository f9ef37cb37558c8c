import { Schema } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import { RecordCode } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"

// The host approves a check-in after the guests have handed in their identity documents (an extension).

const operation = defineFamily({ category: "reservation", since: "3.13.0", openWorld: true })

export const approve_check_in = operation("approve_check_in", {
  route: "POST /reservations/{stay_code}/check_in/approve",
  summary: "Approve the identity documents of a stay, so that its guest gets the door code; once more changes nothing",
  payload: { stay_code: RecordCode },
  success: Schema.Struct({
    approved_at: Schema.String.annotateKey({
      description: "ISO 8601 with the offset `+00:00`: when it was first approved."
    })
  }),
  errors: [NotFound],
  exposure: {
    notATool: "the host looks at the photos before approving, and no tool shows them",
    extension: true
  }
})

export const CheckInOperations = { approve_check_in }
