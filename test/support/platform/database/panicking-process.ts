import { existsSync } from "node:fs"
import { PGlite } from "@electric-sql/pglite"

// For `node --import`: once there is the file PANIC_FILE, the embedded database answers the next statement as one that gives itself
// up, and any after that never.

const fields = Buffer.from("SPANIC\0VPANIC\0C53100\0Mno room in the test\0\0")
const head = Buffer.alloc(5)
head.write("E")
head.writeInt32BE(fields.length + 4, 1)
const panic = Buffer.concat([head, fields, Buffer.from([0x5a, 0, 0, 0, 5, 0x49])])

const execute = PGlite.prototype.execProtocolRawStream
let panicked = false

PGlite.prototype.execProtocolRawStream = function (message, options) {
  if (panicked) return new Promise(() => {})
  if (!existsSync(process.env["PANIC_FILE"] ?? "")) return execute.call(this, message, options)
  panicked = true
  options?.onRawData?.(panic)
  return Promise.resolve()
}
