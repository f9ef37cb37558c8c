import { Conflict } from "../../../contract/errors.ts"
import { retryOptimistically } from "../../../platform/database/optimistic-retry.ts"
import { ORDER_CHANGE_ATTEMPTS } from "../../../platform/limits.ts"

const orderBusyError = new Conflict({ message: "Other requests are changing the order at the same time; try again." })

export const retryWhileOrderChanges = retryOptimistically(ORDER_CHANGE_ATTEMPTS, orderBusyError)
