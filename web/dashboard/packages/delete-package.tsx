import { type ContentPackage, deletePackage, listPackages, readFileUsage } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { notify } from '../../parts/notify.tsx'
import { packageWords } from './words.ts'

const { remove: say } = packageWords

interface DeletePackageProps {
  readonly data: Pick<ContentPackage, 'packageId' | 'title'> | undefined
  readonly onDeleted?: () => void
  readonly onClose: () => void
}

/** Asks before a package is deleted. If a course uses it, the platform refuses and names the course. */
export function DeletePackage({ data, onDeleted, onClose }: DeletePackageProps) {
  const remove = useWrite(deletePackage, {
    changes: [listPackages, readFileUsage],
    onDone: () => {
      notify(say.done(data?.title ?? ''))
      onClose()
      onDeleted?.()
    },
  })
  return (
    <Confirm
      isOpen={data !== undefined}
      title={say.title}
      go={say.action}
      isPending={remove.isPending}
      error={remove.error}
      onGo={() => data && remove.mutate({ packageId: data.packageId })}
      onClose={() => {
        remove.reset()
        onClose()
      }}
    >
      {say.text(data?.title ?? '')}
    </Confirm>
  )
}
