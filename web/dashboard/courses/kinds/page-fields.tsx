import { PageEditor } from '../../content/page-editor.tsx'
import type { KindFieldsProps } from './fields-props.ts'

/** Edits the text of a page. */
export const PageFields = ({ course, lesson, onChange, errors }: KindFieldsProps) => (
  <PageEditor
    organisation={course.organisation}
    value={lesson.text ?? ''}
    error={errors.text}
    onChange={(text) => onChange({ text })}
  />
)
