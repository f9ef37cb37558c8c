import { Schema } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { StayCode } from "../stays/fields.ts"

// The specification does not have this operation.

const operation = defineFamily({ category: "reservation", since: "3.13.0", openWorld: true })

export const approve_check_in = operation("approve_check_in", {
  route: "POST /reservations/{stay_code}/check_in/approve",
  summary: "Approve the identity documents of a stay",
  details: `While \`id_required\` of a stay is \`required_with_review\`, the guest portal shows its door code only after this approval. A stay with another \`id_required\` returns 422.

- While a guest has not handed in a document, the call returns 422. So does a reservation that is \`cancelled\`, \`denied\` or \`timeout\`.
- A second approval changes nothing and returns the time of the first.
- The approval stays if a guest is added later.
- To let a guest in without documents, set \`id_required\` to \`not_required\` with update_check_in_details.`,
  payload: { stay_code: StayCode },
  success: Schema.Struct({
    approved_at: Schema.String.annotateKey({
      documentation: "When the check-in was first approved, ISO 8601 with the offset `+00:00`."
    })
  }),
  errors: [NotFound],
  exposure: {
    notATool: "the host looks at the photos before approving, and no tool shows them",
    extension: true
  }
})

export const CheckInOperations = { approve_check_in }
