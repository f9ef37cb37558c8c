import { existsSync } from "node:fs"
import { PGlite } from "@electric-sql/pglite"

// For `node --import`: once there is the file PANIC_FILE, the embedded database answers the next statement as one that gives itself
// up, and any after that never.

const errorFields = Buffer.from("SPANIC\0VPANIC\0C53100\0Mno room in the test\0\0")
const errorHeader = Buffer.alloc(5)
errorHeader.write("E")
errorHeader.writeInt32BE(errorFields.length + 4, 1)
const panicResponse = Buffer.concat([errorHeader, errorFields, Buffer.from([0x5a, 0, 0, 0, 5, 0x49])])

const originalExecute = PGlite.prototype.execProtocolRawStream
let hasPanicked = false

PGlite.prototype.execProtocolRawStream = function (message, options) {
  if (hasPanicked) return new Promise(() => {})
  if (!existsSync(process.env["PANIC_FILE"] ?? "")) return originalExecute.call(this, message, options)
  hasPanicked = true
  options?.onRawData?.(panicResponse)
  return Promise.resolve()
}
