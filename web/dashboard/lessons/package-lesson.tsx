import { useClass } from '../classes/class-frame.tsx'
import { UnitPreview } from '../packages/unit-preview.tsx'
import type { LessonProps } from './lesson-props.ts'
import { PackageOfClass } from './package-of-class.tsx'
import { TakePackage } from './take-package.tsx'

/** A lesson of a content package: students open it, staff see its sessions, and authors preview it. */
export const PackageLesson = ({ lesson, classId, result }: LessonProps) =>
  classId === undefined ? (
    <UnitPreview packageId={lesson.package!} position={lesson.item!} />
  ) : (
    <PackageInClass lesson={lesson} result={result} />
  )

function PackageInClass({ lesson, result }: LessonProps) {
  const classDetails = useClass()
  if (classDetails.studentId === null) return <PackageOfClass classDetails={classDetails} lesson={lesson} />
  return result && <TakePackage classDetails={classDetails} lesson={lesson} result={result} />
}
