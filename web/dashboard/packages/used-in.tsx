import { Text } from '@mantine/core'
import { Fragment } from 'react'
import type { ContentPackage } from '../../api/operations.ts'
import { TextLink } from '../../parts/link.tsx'
import { packageWords as say } from './words.ts'

/** Names the courses that use a package, with the number of those that the person cannot see. */
export function UsedIn({ data: { courses, courseCount } }: { readonly data: ContentPackage }) {
  const others = courseCount - courses.length
  if (courseCount === 0)
    return (
      <Text size="sm" c="dimmed" span>
        {say.unused}
      </Text>
    )
  return (
    <>
      {courses.map(({ courseId, name }, i) => (
        <Fragment key={courseId}>
          {i > 0 && ', '}
          <TextLink to="/dashboard/courses/$courseId" params={{ courseId }} size="sm">
            {name}
          </TextLink>
        </Fragment>
      ))}
      {others > 0 && `${courses.length > 0 ? ', ' : ''}${say.moreCourses(others)}`}
    </>
  )
}
