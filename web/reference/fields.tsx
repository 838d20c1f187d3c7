import { type ReactNode, useState } from 'react'
import type { Parameter, Reference, Schema } from './document.ts'
import classes from './reference.module.css'
import { Inline } from './rich-text.tsx'
import { fieldsOf, sayBounds, sayType, variantsOf } from './schema.ts'
import { referenceWords } from './words.ts'

const { schema: say, operation } = referenceWords

type Follow = Reference['follow']

/** A section that can be opened. It renders its content only when opened, because schemas can be recursive. */
function Fold({ title, children }: { readonly title: string; readonly children: () => ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={classes.fold} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <div className={classes.folded}>{children()}</div>}
    </details>
  )
}

interface FieldProps {
  readonly name: string
  readonly field: Schema
  readonly isRequired: boolean
  readonly about?: string | undefined
  readonly place?: string
  /** Whether this is a field of a response. In responses, optional fields are marked instead of required ones. */
  readonly isAnswer?: boolean
  readonly follow: Follow
}

function Field({ name, field, isRequired, about, place, isAnswer = false, follow }: FieldProps) {
  const description = about ?? field.description ?? follow<Schema>(field).description
  const bounds = sayBounds(field)
  const isDeep = fieldsOf(field, follow).length > 0 || variantsOf(field, follow).length > 0
  return (
    <li className={classes.field}>
      <div className={classes.fieldHead}>
        <span className={classes.name}>{name}</span>
        <span className={classes.type}>{sayType(field, follow)}</span>
        {place !== undefined && <span className={classes.type}>{place}</span>}
        {isRequired && !isAnswer && <span className={classes.required}>{say.required}</span>}
        {!isRequired && isAnswer && <span className={classes.type}>{say.optional}</span>}
      </div>
      {description && (
        <div className={classes.about}>
          <Inline text={description} />
        </div>
      )}
      {bounds.length > 0 && <div className={classes.bounds}>{bounds.join('. ')}</div>}
      {isDeep && (
        <Fold title={say.fields(name)}>
          {() => <SchemaFields schema={field} isAnswer={isAnswer} follow={follow} />}
        </Fold>
      )}
    </li>
  )
}

interface SchemaFieldsProps {
  readonly schema: Schema
  readonly isAnswer?: boolean
  readonly follow: Follow
}

/** Lists the fields of a schema with type, constraints and description. Nested fields can be opened. */
export function SchemaFields({ schema, isAnswer = false, follow }: SchemaFieldsProps) {
  const variants = variantsOf(schema, follow)
  if (variants.length > 0)
    return variants.map((one, i) => (
      <Fold key={one.title ?? String(i)} title={one.title ?? say.variant(i + 1)}>
        {() => (
          <>
            {one.description && (
              <div className={classes.about}>
                <Inline text={one.description} />
              </div>
            )}
            <SchemaFields schema={one} isAnswer={isAnswer} follow={follow} />
          </>
        )}
      </Fold>
    ))
  const fields = fieldsOf(schema, follow)
  if (fields.length === 0) return <div className={classes.type}>{sayType(schema, follow)}</div>
  return (
    <ul className={classes.fields}>
      {fields.map((one) => (
        <Field key={one.name} {...one} isAnswer={isAnswer} follow={follow} />
      ))}
    </ul>
  )
}

export const ParameterFields = ({
  parameters,
  follow,
}: {
  readonly parameters: readonly Parameter[]
  readonly follow: Follow
}) => (
  <ul className={classes.fields}>
    {parameters.map(({ name, in: place, schema, required = false, description }) => (
      <Field
        key={`${place}:${name}`}
        name={name}
        field={schema}
        isRequired={required}
        about={description}
        place={operation.places[place]}
        follow={follow}
      />
    ))}
  </ul>
)
