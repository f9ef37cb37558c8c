import type { PGlite } from "@electric-sql/pglite"
import { NodeFS } from "@electric-sql/pglite/nodefs"

type FileSystemOptions = Parameters<NodeFS["init"]>[1]

const OTHERS_MASK = 0o077

/**
 * The embedded database's files, none of which anybody else may read. PostgreSQL names most modes itself, but leaves some
 * to the umask, and the file system between the two asks for each file's mode a second time, past the process's umask.
 */
export class PrivateFileSystem extends NodeFS {
  override async init(pg: PGlite, options: FileSystemOptions): Promise<{ emscriptenOpts: FileSystemOptions }> {
    const { emscriptenOpts } = await super.init(pg, options)
    const keepPrivate: NonNullable<FileSystemOptions["preRun"]>[number] = ({ FS }) => {
      const chmod = FS.chmod.bind(FS)
      FS.chmod = (path: unknown, mode: number, ...rest: ReadonlyArray<unknown>) =>
        chmod(path, mode & ~OTHERS_MASK, ...rest)
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), keepPrivate] } }
  }
}
