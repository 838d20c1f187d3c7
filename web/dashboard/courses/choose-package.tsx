import { type CourseDocument, listPackages, readPackage } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { notify } from '../../parts/notify.tsx'
import { PackageDialog } from '../packages/package-dialog.tsx'
import { packageWords } from '../packages/words.ts'
import { allLessons, COURSE_READS } from './course-model.ts'
import { addToCourse, compareLessons, packagesIn, type Replacement } from './package-changes.ts'

const { course: say } = packageWords

interface ChoosePackageProps {
  readonly doc: CourseDocument
  readonly hasUnsaved: boolean
  /** The package that the chosen one replaces; undefined if it is added. */
  readonly replaces: string | undefined
  readonly onReplaced: (what: Replacement) => void
  readonly onClose: () => void
}

/** Adds a package to a course, or replaces one that it uses. */
export function ChoosePackage({ doc, hasUnsaved, replaces, onReplaced, onClose }: ChoosePackageProps) {
  const add = useWrite(addToCourse, {
    changes: [...COURSE_READS, listPackages, readPackage],
    onDone: (saved) => {
      onClose()
      const packageId = add.variables?.packageId
      if (replaces === undefined) notify(say.added(allLessons(saved).length - allLessons(doc).length))
      else if (packageId) onReplaced(compareLessons({ doc, packageId: replaces }, { doc: saved, packageId }))
    },
  })
  const text = replaces === undefined ? say.addText : say.replaceText
  return (
    <PackageDialog
      title={replaces === undefined ? say.add : say.replaceTitle}
      isOpen
      onClose={onClose}
      organisation={doc.organisation}
      text={hasUnsaved ? `${text} ${say.savesFirst}` : text}
      go={replaces === undefined ? say.addGo : say.replaceGo}
      failed={replaces === undefined ? say.addFailed : say.replaceFailed}
      taken={[...packagesIn(doc).keys()]}
      isPending={add.isPending}
      error={add.error}
      onReset={add.reset}
      onGo={({ packageId }) =>
        add.mutate({
          ...{ courseId: doc.courseId, packageId },
          ...(replaces !== undefined && { replaces }),
          ...(hasUnsaved && { unsaved: doc }),
        })
      }
    />
  )
}
