import { Effect, Schema } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { formatInstantWithOffset } from "../../../contract/time.ts"
import { changeHandler, handleOperations, layerOperations } from "../../operation-handlers.ts"
import { CheckInApproval } from "./CheckInApproval.ts"
import { type approve_check_in, CheckInOperations } from "./contract.ts"

export const layerCheckIn = layerOperations(
  Effect.map(CheckInApproval, (approval) =>
    handleOperations(CheckInOperations, {
      approve_check_in: changeHandler(approveCheckIn(approval), ApprovalRow, ({ approved_at }) => ({
        approved_at: formatInstantWithOffset(approved_at)
      }))
    })
  )
)

const ApprovalRow = Schema.Struct({ approved_at: Schema.Date })

const approveCheckIn = (approval: CheckInApproval["Service"]) =>
  Effect.fnUntraced(function* ({ stay_code }: typeof approve_check_in.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    return yield* approval.approve(operatorId, stay_code)
  })
